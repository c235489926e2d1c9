import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { KeptOutput, ToolFailure } from "../tools/tool-outcome.ts";
import type { WorkspaceRead } from "../workspace/workspace-read.ts";

/** A call that ran (R25 counts these), with what it gave back. */
export interface CallRecord {
  readonly callOrdinal: number;
  readonly tool: string;
  readonly inputSha256: string;
  readonly status: "succeeded" | "failed";
  readonly failure?: ToolFailure;
  readonly output: KeptOutput;
  readonly durationMs: number;
}

/**
 * How a decision became final. A `landed` one has all its entries; a `failed` one none, but its calls and their output
 * stay; a `skipped` one ran nothing and names the dependencies (decision ids) that did not land.
 */
export type DecisionOutcome =
  | { readonly status: "landed" }
  | { readonly status: "failed"; readonly failure: ToolFailure; readonly callOrdinal?: number }
  | { readonly status: "skipped"; readonly because: readonly string[] };

export interface DecisionRecord {
  readonly ordinal: number;
  readonly decisionId: string;
  readonly outcome: DecisionOutcome;
  readonly calls: readonly CallRecord[];
  readonly entries: readonly ChangeEntry[];
  readonly reads: readonly WorkspaceRead[];
  readonly startedAtEpochMs: number;
  readonly durationMs: number;
}
