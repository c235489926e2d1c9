import type { RuntimeExecuteResult } from "./runtime-execute-result.ts";
import type { StrategyDecision } from "./strategy-decision.ts";

/** How an execution ended. `not_run` is the plain path's: nothing was executed, so the plan is as it was before. */
export type ExecutionEnding =
  | { readonly kind: "completed"; readonly result: RuntimeExecuteResult }
  | { readonly kind: "failed"; readonly result: RuntimeExecuteResult }
  /** A fault that is no decision's: the run left nothing. */
  | { readonly kind: "broken"; readonly error: unknown }
  | { readonly kind: "not_run" };

export type PlanState =
  | { readonly phase: "submitted" }
  | { readonly phase: "running"; readonly attempt: number }
  | { readonly phase: "completed"; readonly attempt: number; readonly result: RuntimeExecuteResult }
  | {
      readonly phase: "failed";
      readonly attempt: number;
      readonly result: RuntimeExecuteResult | undefined;
      readonly error: unknown;
    };

export interface BegunExecution {
  /** Counts executions from 1; `finish` is conditional on it. */
  readonly attempt: number;
  readonly decisions: readonly StrategyDecision[];
  /** Result of the failed run before, which this one goes on from. */
  readonly previous?: RuntimeExecuteResult;
}

/**
 * Who may execute a plan, and what came of it. `begin` and `finish` are conditional: of two callers that begin one plan,
 * one gets it and the other rejects with `ConflictError` (`plan_running`, `plan_completed`); a `finish` under another
 * attempt than the running one rejects too and changes nothing, so no result is ever overwritten by a late one. An unknown
 * plan rejects with `NotFoundError`.
 */
export interface PlanLifecycle {
  begin(planId: string): Promise<BegunExecution>;
  finish(planId: string, attempt: number, ending: ExecutionEnding): Promise<void>;
  state(planId: string): Promise<PlanState | undefined>;
}
