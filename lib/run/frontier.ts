import type { Disposition } from "./disposition.ts";
import type { PhaseOutbox } from "./phase-change.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunCounts } from "./step.ts";

/** A signature over a sealed head, or over the head of the ledger. */
export interface Signature {
  readonly algorithm: "Ed25519";
  readonly keyId: string;
  /** Base64. */
  readonly value: string;
}

export type FrontierState =
  | { readonly phase: "submitted" }
  | { readonly phase: "running" }
  | { readonly phase: "paused" }
  /** A cancel that waits for the result, or the time-out, of the external call under way. */
  | { readonly phase: "cancelling"; readonly by: string; readonly reason?: string }
  | {
      readonly phase: "completed" | "failed" | "cancelled";
      readonly digest: string;
      /** Over the digest and the ledger's head at `sealedSeq` (`seal-statement.ts`). */
      readonly signature: Signature;
      readonly sealedSeq: number;
      readonly endedAtEpochMs: number;
      /** The further run that a resume opened: the ledger goes on there. */
      readonly continuedBy?: number;
    };

/** An external call that may be under way: recorded before it starts. */
export interface ExternalIntent {
  readonly ordinal: number;
  readonly callOrdinal: number;
  readonly tool: string;
  readonly inputSha256: string;
  readonly idempotencyKey: string;
  /** After this the caller is taken for dead. */
  readonly deadlineEpochMs: number;
}

/** A decision with external calls, at which a run under the profile `review` stopped until somebody else approves it. */
export interface ReleaseWanted {
  readonly ordinal: number;
  readonly decisionId: string;
  /** The chain so far, extended by the decision's calls (`release-digest.ts`). */
  readonly digest: string;
}

/** The answer to it, which holds for that decision under that digest alone. */
export interface Release extends ReleaseWanted {
  readonly verdict: "approved" | "rejected";
  readonly by: string;
}

/** Where the state of a run at `position` lies in the content store. */
export interface CheckpointRef {
  readonly sha256: string;
  readonly position: number;
}

/** Work counted so far, for `costUsd`; no digest covers it. Write units are of 1 KB. */
export interface RunUnits {
  readonly steps: number;
  readonly stepWriteUnits: number;
  readonly frontierMoves: number;
  readonly contentPuts: number;
  readonly hints: number;
  readonly invocations: number;
  readonly workMs: number;
}

/**
 * The one item of a run that is ever overwritten, below 1 KB. Every move is one write conditional on `revision`.
 * `position` counts, within the run's own list, the decisions that are final. Events of control moves (pause, resume,
 * cancel) since the last step wait in `controlEvents`, already numbered and chained; the next step takes them in first.
 */
export interface Frontier {
  readonly v: 1;
  readonly tenant: string;
  readonly planId: string;
  readonly run: number;
  readonly changesetId: string;
  readonly revision: number;
  readonly epoch: number;
  readonly state: FrontierState;
  readonly position: number;
  readonly decisionCount: number;
  readonly counts: RunCounts;
  readonly chainHead: string;
  /** Number of the last event, those in `controlEvents` included. */
  readonly lastSeq: number;
  readonly ledgerHead: string;
  readonly controlEvents: readonly RunEvent[];
  readonly checkpoint?: CheckpointRef;
  readonly intent?: ExternalIntent;
  readonly waitingFor?: ReleaseWanted;
  readonly release?: Release;
  /** Work at this position was begun `starts` times after a worker on it seems to have died (poison guard). */
  readonly suspect?: { readonly position: number; readonly starts: number };
  /** Which worker moved last: the revision at which it began. A watch hint of another worker's is dropped. */
  readonly watch?: number;
  /** `from` of the steps that hold the run's first 100 failed or skipped decisions. */
  readonly failureSteps: readonly number[];
  readonly units: RunUnits;
  readonly startedAtEpochMs?: number;
  readonly movedAtEpochMs: number;
  /**
   * Coarse time of the reconciler's next look, seconds; absent once ended, but for an apply that is due or under way: the key
   * of the sparse index.
   */
  readonly nextCheckEpochSeconds?: number;
  /** Of changes of its phase, where somebody listens. */
  readonly outbox?: PhaseOutbox;
  /** Should the run complete, an apply follows by itself; gone once that has begun or was refused. */
  readonly autoApply?: true;
  /** What came of the changeset after the end. */
  readonly disposition?: Disposition;
}
