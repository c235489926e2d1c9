import type { DecisionRecord } from "./decision-record.ts";
import type { SignedLedgerHead } from "./disposition.ts";
import type { KeptContent } from "./kept-content.ts";
import type { RunEvent } from "./run-event.ts";

/** Totals of a run up to and including a step. */
export interface RunCounts {
  readonly landed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly toolCalls: number;
  readonly entries: number;
}

/** Names one step of a plan. */
export interface StepRef {
  readonly run: number;
  readonly from: number;
  readonly epoch: number;
}

/**
 * What became final from position `from` on, up to 32 decisions. Written once under (run, from, epoch), before the frontier
 * moves to `from + decisions.length`; it is final only when the frontier has moved past it. Content that entries refer to
 * rides in `contents` (by SHA-256; `content-in-step.ts` reads it), in a step that `contentAt` names, or lies in the content store.
 */
export interface Step {
  readonly v: 1;
  readonly run: number;
  readonly from: number;
  readonly epoch: number;
  readonly decisions: readonly DecisionRecord[];
  readonly events: readonly RunEvent[];
  readonly contents: ReadonlyMap<string, KeptContent>;
  /** Steps before this one that hold content from before its changes; what is in neither lies in the content store. */
  readonly contentAt: ReadonlyMap<string, StepRef>;
  readonly counts: RunCounts;
  /** Hₙ after this step. */
  readonly chainHead: string;
  readonly ledgerHead: string;
  /** Version of the code that wrote it, so that an update in flight can be seen. */
  readonly writtenBy: string;
  /** In a step that holds events of an ended run (`spill-events.ts`) and no decisions: their signed heads. */
  readonly heads?: readonly SignedLedgerHead[];
}
