import type { CompiledDecision } from "../plan/compiled-plan.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { Frontier } from "./frontier.ts";
import type { RunDecisions } from "./run-list.ts";
import type { PlanKey } from "./run-store.ts";
import { openRunView, type RunViewPorts } from "./run-view-ports.ts";

/** A decision as it stands after a run; without a record it is pending there. */
export interface DecisionView {
  /** As the run named here takes it, corrected calls included. */
  readonly decision: CompiledDecision;
  readonly run: number;
  readonly record?: DecisionRecord;
}

export interface DecisionsPage {
  readonly run: number;
  readonly decisions: readonly DecisionView[];
  /** Ordinal to go on from; absent on the last page. */
  readonly nextOrdinal?: number;
}

const stepsPerRead = 4;

/**
 * Decisions of a plan in plan order, pending ones included, as they stood after a run (the latest, without `run`): what
 * landed in an earlier run is shown from there. A page reads only the steps that hold its decisions.
 */
export async function readDecisions(
  key: PlanKey & { readonly run?: number },
  page: { readonly fromOrdinal: number; readonly limit: number },
  ports: RunViewPorts,
): Promise<DecisionsPage> {
  const latest = await openRunView(key, ports);
  const { source } = latest.runPlan;
  const to = Math.min(source.count, page.fromOrdinal + page.limit);
  const decisions = await source.range(page.fromOrdinal, to);
  const found = new Map<number, DecisionView>();
  for (let view = latest; ; ) {
    const { frontier, runPlan } = view;
    const open = decisions.filter(
      ({ ordinal }) => !found.has(ordinal) && runPlan.list.positionOf(ordinal) !== undefined,
    );
    const records = await recordsOf(frontier, { list: runPlan.list, open }, ports);
    for (const decision of open) {
      const record = records.get(decision.ordinal);
      found.set(decision.ordinal, {
        decision: runPlan.corrected(decision),
        run: frontier.run,
        ...(record === undefined ? {} : { record }),
      });
    }
    if (found.size >= decisions.length || frontier.run <= 1) {
      break;
    }
    view = await openRunView({ ...key, run: frontier.run - 1 }, ports);
  }
  return {
    run: latest.frontier.run,
    decisions: decisions.flatMap(({ ordinal }) => found.get(ordinal) ?? []),
    ...(to < source.count ? { nextOrdinal: to } : {}),
  };
}

async function recordsOf(
  frontier: Frontier,
  { list, open }: { readonly list: RunDecisions; readonly open: readonly CompiledDecision[] },
  ports: RunViewPorts,
): Promise<ReadonlyMap<number, DecisionRecord>> {
  const { tenant, planId, run, position: before } = frontier;
  const records = new Map<number, DecisionRecord>();
  let readTo = -1;
  for (const { ordinal } of open) {
    const position = list.positionOf(ordinal) ?? before;
    if (position < readTo || position >= before) {
      continue;
    }
    const steps = await ports.steps.range({
      tenant,
      planId,
      run,
      from: position,
      before,
      limit: stepsPerRead,
    });
    for (const step of steps) {
      for (const record of step.decisions) {
        records.set(record.ordinal, record);
      }
      readTo = step.from + step.decisions.length;
    }
  }
  return records;
}
