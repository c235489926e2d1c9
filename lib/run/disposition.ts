import type { ApplyConflict } from "../apply/net-change.ts";
import type { ErrorCode } from "../errors/error-code.ts";
import type { Signature } from "./frontier.ts";

/**
 * A changeset that can be applied under its digest: the sealed one, or one that was derived from it. `whole`: it lands all
 * that the runs changed, being the sealed one or a merge of it onto a target that moved.
 */
export interface ApplicableChangeset {
  readonly digest: string;
  readonly kind: "sealed" | "merge" | "partial" | "rollback";
  readonly whole: boolean;
  /** Of a rollback: the digest that it undoes. */
  readonly undoes?: string;
}

/** The newest verdict on one digest; it holds for that digest alone. */
export interface Approval {
  readonly digest: string;
  readonly verdict: "approved" | "rejected";
  readonly by: string;
  readonly atEpochMs: number;
}

/** An apply that was accepted and is not over. */
export interface ApplyUnderWay extends ApplicableChangeset {
  readonly by: string;
  readonly startedAtEpochMs: number;
  /** Number of the apply among those of this run. */
  readonly attempt: number;
  readonly project: string;
  /** The project's revision when the apply began: one that it made comes later. */
  readonly revisionAtStart: number;
}

/** A changeset that stands applied: no rollback has undone it. */
export interface LandedChangeset extends ApplicableChangeset {
  readonly by: string;
  readonly atEpochMs: number;
  readonly project: string;
  readonly revision: number;
}

export type ApplyOutcome =
  | { readonly status: "applied"; readonly revision: number }
  /** `revision`: the one that was found; `conflicts`: the first few. */
  | {
      readonly status: "conflicts";
      readonly revision: number;
      readonly conflictCount: number;
      readonly conflicts: readonly ApplyConflict[];
    }
  | { readonly status: "failed"; readonly code: ErrorCode; readonly message: string };

/** How the last apply (or rollback) ended. Without `apply` it was refused before it began: one that follows by itself. */
export type LastApply = ApplicableChangeset & {
  readonly by: string;
  readonly atEpochMs: number;
  readonly apply?: Pick<ApplyUnderWay, "attempt" | "project" | "revisionAtStart">;
} & ApplyOutcome;

/** The head of a ledger that went on after a run's seal, signed. */
export interface SignedLedgerHead {
  readonly seq: number;
  readonly ledgerHead: string;
  readonly signature: Signature;
}

/** Names the step, without decisions, that holds the events `firstSeq` to `lastSeq` of an ended run, and their signed heads. */
export interface EventSpill {
  readonly epoch: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

/** What came of a run's changeset after its end. It stands on the run's frontier, and is moved with it. */
export interface Disposition {
  /** Newest verdict last, one a digest. */
  readonly approvals: readonly Approval[];
  readonly attempts: number;
  readonly apply?: ApplyUnderWay;
  readonly landed: readonly LandedChangeset[];
  readonly lastApply?: LastApply;
  /** Of the events after the seal that wait on the frontier. */
  readonly heads: readonly SignedLedgerHead[];
  /** Oldest first. */
  readonly spills: readonly EventSpill[];
}

export const noDisposition: Disposition = { approvals: [], attempts: 0, landed: [], heads: [], spills: [] };

/** The changeset that stands applied with all that the runs changed. */
export const wholeLanded = (disposition: Disposition | undefined): LandedChangeset | undefined =>
  disposition?.landed.findLast(({ whole }) => whole);

export const verdictOn = (disposition: Disposition | undefined, digest: string): Approval | undefined =>
  disposition?.approvals.find((approval) => approval.digest === digest);
