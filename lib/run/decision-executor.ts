import type { CompiledDecision, PlanRecord } from "../plan/compiled-plan.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import type { DecisionOutcome, DecisionRecord } from "./decision-record.ts";
import type { RunState } from "./run-state.ts";

/** A call of an external tool, about to be made. */
export interface ExternalCall {
  readonly callOrdinal: number;
  readonly tool: string;
  readonly inputSha256: string;
  readonly idempotent: boolean;
  readonly timeLimitMs: number;
}

/**
 * Stands before every external call. `run` answers how the call ended: from a result that is recorded, or by recording the
 * intent, calling `perform` and recording what it gave. What it throws is no outcome of the decision and must reach the
 * engine as it is.
 */
export interface ExternalGate {
  run(call: ExternalCall, perform: (idempotencyKey: string) => Promise<ToolOutcome>): Promise<ToolOutcome>;
}

/** What came of a decision that ran. `contents` holds the bytes of every `after` state of its entries, by SHA-256. */
export interface ExecutedDecision extends Pick<DecisionRecord, "calls" | "entries" | "reads"> {
  readonly outcome: Exclude<DecisionOutcome, { readonly status: "skipped" }>;
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * Runs the decisions of one run, one after another, on the exact state. A failed decision leaves the state as it was. An
 * outage throws `InfrastructureError`, and leaves the executor unusable: the engine opens another one.
 */
export interface DecisionExecutor {
  /** True when one of its calls names an external tool: then everything before must be final first. */
  isExternal(decision: CompiledDecision): boolean;
  execute(decision: CompiledDecision, gate: ExternalGate): Promise<ExecutedDecision>;
  /** The state finds these contents now: they need not be held in memory for it. */
  contentsStored(sha256s: Iterable<string>): void;
}

/** Opens an executor on the state of a run; it keeps its own changes in memory until it is told that the state finds them. */
export type OpenExecutor = (plan: PlanRecord, state: RunState) => Promise<DecisionExecutor>;
