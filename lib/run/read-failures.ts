import type { DecisionRecord } from "./decision-record.ts";
import type { Frontier } from "./frontier.ts";
import { listedFailures } from "./run-progress.ts";
import type { RunViewPorts } from "./run-view-ports.ts";

/** The first 100 decisions of a run that failed or were skipped, in plan order; reads only the steps that hold them. */
export async function readFailures(
  frontier: Frontier,
  ports: Pick<RunViewPorts, "steps">,
): Promise<{ readonly failures: readonly DecisionRecord[]; readonly truncated: boolean }> {
  const { tenant, planId, run, position: before, failureSteps, counts } = frontier;
  const steps = await Promise.all(
    failureSteps.map((from) => ports.steps.range({ tenant, planId, run, from, before, limit: 1 })),
  );
  const failures = steps
    .flat()
    .flatMap((step) => step.decisions)
    .filter(({ outcome }) => outcome.status !== "landed")
    .slice(0, listedFailures);
  return { failures, truncated: failures.length < counts.failed + counts.skipped };
}
