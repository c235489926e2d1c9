import { ConflictError, NotFoundError } from "../errors/planledger-error.ts";
import type { ExecutionEnding, PlanLifecycle, PlanState } from "./plan-lifecycle.ts";
import type { RuntimeExecuteResult } from "./runtime-execute-result.ts";
import type { StrategyDecision } from "./strategy-decision.ts";

interface Kept {
  readonly decisions: readonly StrategyDecision[];
  /** Result of the last run that ended with one. */
  readonly previous: RuntimeExecuteResult | undefined;
  readonly attempts: number;
  readonly state: PlanState;
  /** The state from which the execution under way began. */
  readonly before: PlanState;
}

const submitted: PlanState = { phase: "submitted" };

export interface PlanToExecute {
  readonly planId: string;
  readonly decisions: readonly StrategyDecision[];
}

/** Plans and their executions in this process. Between reading and writing a plan's state nothing is awaited. */
export function inMemoryPlanLifecycle(options: { readonly plans: readonly PlanToExecute[] }): PlanLifecycle {
  const plans = new Map<string, Kept>();
  for (const { planId, decisions } of options.plans) {
    const kept = { decisions: structuredClone(decisions), previous: undefined, attempts: 0 };
    plans.set(planId, { ...kept, state: submitted, before: submitted });
  }

  function kept(planId: string): Kept {
    const plan = plans.get(planId);
    if (plan === undefined) {
      throw new NotFoundError({
        code: "not_found",
        message: `There is no plan ${planId}.`,
        details: { planId },
      });
    }
    return plan;
  }

  return {
    async begin(planId) {
      const plan = kept(planId);
      refuseIfTaken(planId, plan.state);
      const attempt = plan.attempts + 1;
      plans.set(planId, {
        ...plan,
        attempts: attempt,
        before: plan.state,
        state: { phase: "running", attempt },
      });
      const decisions = structuredClone(plan.decisions);
      return plan.previous === undefined
        ? { attempt, decisions }
        : { attempt, decisions, previous: plan.previous };
    },
    async finish(planId, attempt, ending) {
      const plan = kept(planId);
      if (plan.state.phase !== "running" || plan.state.attempt !== attempt) {
        throw new ConflictError({
          code: "phase_conflict",
          message: `Execution ${attempt} of plan ${planId} cannot end: the plan is ${plan.state.phase}, in execution ${plan.attempts}.`,
          details: { planId, attempt, phase: plan.state.phase },
        });
      }
      plans.set(planId, ended(plan, attempt, ending));
    },
    async state(planId) {
      return plans.get(planId)?.state;
    },
  };
}

function refuseIfTaken(planId: string, state: PlanState): void {
  switch (state.phase) {
    case "submitted":
    case "failed":
      return;
    case "running":
      throw new ConflictError({
        code: "plan_running",
        message: `Plan ${planId} is being executed (execution ${state.attempt}); wait until it has ended.`,
        details: { planId, attempt: state.attempt },
      });
    case "completed":
      throw new ConflictError({
        code: "plan_completed",
        message: `Plan ${planId} was executed already (changeset ${state.result.changesetId}); submit a new plan to run it again.`,
        details: { planId, attempt: state.attempt, changesetId: state.result.changesetId },
      });
    default:
      throw new Error(`unknown phase ${JSON.stringify(state satisfies never)}`);
  }
}

function ended(plan: Kept, attempt: number, ending: ExecutionEnding): Kept {
  switch (ending.kind) {
    case "completed":
      return {
        ...plan,
        previous: ending.result,
        state: { phase: "completed", attempt, result: ending.result },
      };
    case "failed": {
      const { result } = ending;
      return { ...plan, previous: result, state: { phase: "failed", attempt, result, error: undefined } };
    }
    case "broken": {
      const result = plan.previous;
      return { ...plan, state: { phase: "failed", attempt, result, error: ending.error } };
    }
    case "not_run":
      return { ...plan, state: plan.before };
    default:
      throw new Error(`unknown ending ${JSON.stringify(ending satisfies never)}`);
  }
}
