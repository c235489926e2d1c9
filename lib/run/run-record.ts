import type { ToolCall } from "../plan/compiled-plan.ts";

/** One execution of a plan. Run 1 takes all decisions; a further one what did not land before. Written once. */
export interface RunRecord {
  readonly v: 1;
  readonly tenant: string;
  readonly planId: string;
  readonly run: number;
  readonly changesetId: string;
  readonly requestedBy: string;
  readonly requestedAtEpochMs: number;
  /** Ordinals of the run's decisions, ascending; absent in run 1, which has them all. */
  readonly ordinals?: readonly number[];
  /** Corrected calls by decision id (resume after an end). */
  readonly toolCalls?: Readonly<Record<string, readonly ToolCall[]>>;
}
