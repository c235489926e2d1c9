import { InfrastructureError } from "../errors/planledger-error.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import { commitStep } from "./commit-step.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { Frontier } from "./frontier.ts";
import { loadRunPlan } from "./run-decisions.ts";
import { RunMoved } from "./run-moved.ts";
import type { RunPorts } from "./run-ports.ts";
import type { RunRecord } from "./run-record.ts";
import type { Hint } from "./run-store.ts";
import { callUnderWay } from "./settle-cancel.ts";
import { stepBuilder } from "./step-builder.ts";
import { hintOf } from "./watch-hint.ts";

/**
 * What the dead-letter consumer does for a hint that was received too often. Only if a worker recorded that it began at
 * the position where the run still stands, the decision there is failed (`dead_lettered`); a hint that died for another
 * reason (throttling) fails nothing. Either way the run gets a new hint.
 */
export async function deadLetter(
  hint: Hint,
  ports: RunPorts,
): Promise<{ readonly kind: "failed_decision" | "hinted" | "nothing_to_do" }> {
  const frontier = await ports.frontiers.read(hint);
  if (frontier === undefined || !["submitted", "running", "cancelling"].includes(frontier.state.phase)) {
    return { kind: "nothing_to_do" };
  }
  const poisoned =
    frontier.state.phase === "running" &&
    frontier.suspect?.position === frontier.position &&
    (await callUnderWay(frontier, ports)) === undefined;
  if (poisoned) {
    const [plan, run] = await Promise.all([ports.plans.get(hint), ports.runs.getRun(hint)]);
    if (plan === undefined || run === undefined) {
      throw new InfrastructureError({ message: `Plan ${hint.planId} or its run ${hint.run} is not there.` });
    }
    await failDecision(frontier, { plan, run }, ports);
  }
  await ports.hints.send(hintOf(hint));
  return { kind: poisoned ? "failed_decision" : "hinted" };
}

/** Fails the decision at the frontier, unless a worker's own step stands there, or the run has moved: then that counts. */
export async function failDecision(
  frontier: Frontier,
  { plan, run }: { readonly plan: PlanRecord; readonly run: RunRecord },
  ports: RunPorts,
): Promise<void> {
  const runPlan = await loadRunPlan({ plan, run }, ports.contentOf(frontier.tenant));
  const decision = await runPlan.at(frontier.position);
  const record: DecisionRecord = {
    ordinal: decision.ordinal,
    decisionId: decision.id,
    outcome: {
      status: "failed",
      failure: {
        code: "dead_lettered",
        message: `Workers that ran decision ${decision.id} ended again and again without a result (out of memory or time, perhaps). Make it smaller, then resume the plan.`,
      },
    },
    calls: [],
    entries: [],
    reads: [],
    startedAtEpochMs: ports.clock.now(),
    durationMs: 0,
  };
  const builder = stepBuilder(frontier);
  builder.add(record, { inStep: new Map(), at: new Map() });
  try {
    await commitStep(
      frontier,
      { step: builder.step(ports.version), watch: frontier.watch ?? frontier.revision, spent: {} },
      ports,
    );
  } catch (error) {
    if (!(error instanceof RunMoved)) {
      throw error;
    }
  }
}
