import type { ToolOutcome } from "../tools/tool-outcome.ts";
import type { Frontier } from "./frontier.ts";
import type { OpeningOptions } from "./opening-frontier.ts";
import type { RunRecord } from "./run-record.ts";
import type { Step, StepRef } from "./step.ts";

export interface PlanKey {
  readonly tenant: string;
  readonly planId: string;
}
export interface RunKey extends PlanKey {
  readonly run: number;
}

/** Frontiers. All reads are strongly consistent; a throttle or an outage throws `InfrastructureError`. */
export interface FrontierStore {
  /**
   * Writes the run if there is none under its key, and the frontier that `openingFrontier` makes of the record that stands
   * (whoever wrote it), if there is none; answers what stands. A creator that died between the two is completed so.
   */
  create(
    run: RunRecord,
    opening?: OpeningOptions,
  ): Promise<{ readonly run: RunRecord; readonly frontier: Frontier }>;
  read(key: RunKey): Promise<Frontier | undefined>;
  /** The frontier of the plan's highest run. */
  latest(key: PlanKey): Promise<Frontier | undefined>;
  /** Overwrites if the revision is still `next.revision - 1`; `false` when somebody else moved it. */
  move(next: Frontier): Promise<boolean>;
}

/** Runs as they were requested. */
export interface RunRecordStore {
  getRun(key: RunKey): Promise<RunRecord | undefined>;
}

/** Open frontiers by the sparse index; eventually consistent. */
export interface OpenRuns {
  due(query: {
    readonly nowEpochSeconds: number;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<{
    readonly runs: readonly RunKey[];
    readonly cursor?: string;
  }>;
}

/** A step as it is stored: opaque bytes (`step-codec.ts`), at most 320 KiB, since larger steps go to the content store first. */
export interface StepItem extends StepRef {
  /** Decisions in the step: it covers the positions `from` to `from + count - 1`. */
  readonly count: number;
  readonly bytes: Uint8Array;
}

export interface StepRange extends RunKey {
  readonly from: number;
  readonly before: number;
  readonly limit: number;
}

/** Steps, written once. */
export interface StepItemStore {
  /** Writes if absent under (run, from, epoch); answers the item that stands there, whoever wrote it. */
  putIfAbsent(key: PlanKey, item: StepItem): Promise<StepItem>;
  get(key: PlanKey & StepRef): Promise<StepItem | undefined>;
  /**
   * Final steps from the one that covers `from` on, in order, at most `limit`; those that begin at `before` (the frontier's
   * position) or beyond are left out, and of several under one `from` only the one with the highest epoch counts.
   */
  range(query: StepRange): Promise<readonly StepItem[]>;
}

/** The same, decoded: what the engine uses (`item-step-store.ts` stands between). */
export interface StepStore {
  /** Answers `step` itself when just that stands there, whoever wrote it. */
  putIfAbsent(key: PlanKey, step: Step): Promise<{ readonly step: Step; readonly storedBytes: number }>;
  get(key: PlanKey & StepRef): Promise<Step | undefined>;
  range(query: StepRange): Promise<readonly Step[]>;
}

/** The key tells whether a result belongs to this input of the call: corrected calls have another. */
export interface ExternalResult {
  readonly v: 1;
  readonly idempotencyKey: string;
  readonly outcome: ToolOutcome;
}

/** Results of external calls, by run, ordinal and call; written once, the first stands. */
export interface ExternalResultStore {
  putIfAbsent(
    key: RunKey & { readonly ordinal: number; readonly callOrdinal: number },
    result: ExternalResult,
  ): Promise<ExternalResult>;
  get(
    key: RunKey & { readonly ordinal: number; readonly callOrdinal: number },
  ): Promise<ExternalResult | undefined>;
}

/**
 * "Run this plan's run": a hint, never a fact. A `watch` hint is sent by the worker that began at revision `worker` when the
 * frontier stood at revision `seen`; whoever gets it takes the run over only if nothing has moved since.
 */
export interface Hint extends RunKey {
  readonly v: 1;
  readonly watch?: { readonly worker: number; readonly seen: number };
}

export interface HintQueue {
  send(hint: Hint, options?: { readonly delaySeconds?: number }): Promise<void>;
}
