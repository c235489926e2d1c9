import type { ToolCall } from "../plan/compiled-plan.ts";

/** A decision as a plan document lists it, and as callers in process hand it in. Order is the list's. */
export interface StrategyDecision {
  readonly id: string;
  readonly parentId?: string | undefined;
  readonly rationale?: string | undefined;
  /** Ids of decisions that must land first. */
  readonly dependsOn?: readonly string[] | undefined;
  readonly toolCalls?: readonly ToolCall[] | undefined;
}
