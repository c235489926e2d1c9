import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import { readEntries } from "../run/read-entries.ts";
import type { RunKey } from "../run/run-store.ts";
import { openRunView, type RunViewPorts } from "../run/run-view-ports.ts";

const entriesPerPage = 1_000;
const stepsPerRead = 16;
const decisionsPerRead = 256;

/** All entries of a run's changeset in the order of its digest. */
export const allEntries = async (ports: RunViewPorts, key: RunKey): Promise<readonly ChangeEntry[]> => {
  const entries: ChangeEntry[] = [];
  let cursor: string | undefined;
  do {
    const page = await readEntries(
      key,
      { limit: entriesPerPage, ...(cursor === undefined ? {} : { cursor }) },
      ports,
    );
    entries.push(...page.entries);
    ({ cursor } = page);
  } while (cursor !== undefined);
  return entries;
};

/** A decision that became final, and the run in which it did. */
export interface RecordedDecision extends DecisionRecord {
  readonly run: number;
}

/**
 * Every decision of a run and of those before it that became final, in the order in which their entries stand in the
 * changeset, and the ids of the decisions that each of the plan's depends on.
 */
export const allDecisionRecords = async (
  ports: RunViewPorts,
  { tenant, planId, run: last }: RunKey,
): Promise<{
  readonly decisions: readonly RecordedDecision[];
  readonly dependsOn: ReadonlyMap<string, readonly string[]>;
}> => {
  const decisions: RecordedDecision[] = [];
  for (let run = 1; run <= last; run += 1) {
    const { frontier } = await openRunView({ tenant, planId, run }, ports);
    for (let from = 0; from < frontier.position; ) {
      const steps = await ports.steps.range({
        tenant,
        planId,
        run,
        from,
        before: frontier.position,
        limit: stepsPerRead,
      });
      for (const step of steps) {
        decisions.push(...step.decisions.map((decision) => ({ ...decision, run })));
        from = step.from + step.decisions.length;
      }
      if (steps.length === 0) break;
    }
  }
  return { decisions, dependsOn: await dependencies(ports, { tenant, planId, run: last }) };
};

const dependencies = async (
  ports: RunViewPorts,
  key: RunKey,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const { source } = (await openRunView(key, ports)).runPlan;
  const ids = await source.ids();
  const dependsOn = new Map<string, readonly string[]>();
  for (let from = 0; from < source.count; from += decisionsPerRead) {
    for (const decision of await source.range(from, Math.min(source.count, from + decisionsPerRead))) {
      dependsOn.set(
        decision.id,
        decision.dependsOn.map((ordinal) => ids[ordinal] ?? ""),
      );
    }
  }
  return dependsOn;
};
