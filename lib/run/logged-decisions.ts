import type { Log } from "../log/log.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { PlanKey, StepStore } from "./run-store.ts";
import type { Step } from "./step.ts";

/**
 * A store that logs decisions that failed, one by one; those that landed are counted at the run's end. A step that was
 * written and then lost to another worker's has been logged too: a log may say a thing twice, the ledger does not.
 */
export const loggedDecisions = (steps: StepStore, log: Log): StepStore => ({
  ...steps,
  async putIfAbsent(key, step) {
    const put = await steps.putIfAbsent(key, step);
    for (const decision of step.decisions) logFailure({ key, step, decision }, log);
    return put;
  },
});

const logFailure = (
  { key, step, decision }: { readonly key: PlanKey; readonly step: Step; readonly decision: DecisionRecord },
  log: Log,
): void => {
  const { decisionId, outcome } = decision;
  if (outcome.status !== "failed") return;
  const { tenant, planId } = key;
  const { code } = outcome.failure;
  log.write({ level: "warn", event: "decision_failed", tenant, planId, run: step.run, decisionId, code });
};
