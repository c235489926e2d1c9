import type { FileMode } from "#lib/tree/file-state.ts";

/** A file state as both drivers tell it. */
export interface ReportedState {
  readonly sha256: string;
  readonly mode: FileMode;
}

export interface ReportedEntry {
  readonly decisionId: string;
  readonly callOrdinal: number;
  readonly path: string;
  readonly kind: string;
  readonly before: ReportedState | null;
  readonly after: ReportedState | null;
}

export interface ReportedDecision {
  readonly decisionId: string;
  readonly status: string;
  /** Why it failed or was skipped. */
  readonly code?: string;
  /** The decisions that it needed and that did not land. */
  readonly because: readonly string[];
}

export interface ReportedEvent {
  readonly seq: number;
  readonly type: string;
  readonly decisionId?: string;
}

/** What can be known of a plan that was executed; decisions are those of the last run, in plan order. */
export interface PlanReport {
  readonly phase: string;
  readonly run: number;
  readonly digest: string | undefined;
  readonly noChanges: boolean;
  readonly toolCalls: number;
  readonly decisions: readonly ReportedDecision[];
  readonly entries: readonly ReportedEntry[];
  readonly events: readonly ReportedEvent[];
}

export type Files = ReadonlyMap<string, Uint8Array>;

/** A plan as the feature files write it. */
export interface PlanText {
  readonly planId: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/**
 * Where a scenario executes its plan: in this process on in-memory stores, or over HTTP at a running service. Steps know
 * no other difference between the two.
 */
export interface PlanDriver {
  /** The project's files before the plan. */
  provideProject(files: Files): Promise<void>;
  /** Submits a plan and returns when it has ended; rejects with the named error where it is refused. */
  execute(plan: PlanText): Promise<void>;
  report(): Promise<PlanReport>;
  diff(): Promise<Uint8Array>;
  content(sha256: string): Promise<Uint8Array>;
  /** What is kept of a call's output. */
  output(decisionId: string, callOrdinal: number): Promise<Uint8Array>;
  close(): Promise<void>;
}
