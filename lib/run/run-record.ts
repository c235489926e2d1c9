import type { CheckpointRef } from "./frontier.ts";

/**
 * Which decisions a run takes, in plan order: all of the plan, or ranges of ordinals (`[first, count]`, ascending) that
 * stand in the record, or in the content store as JSON when they are many.
 */
export type RunList =
  | { readonly kind: "all" }
  | { readonly kind: "ranges"; readonly ranges: readonly (readonly [first: number, count: number])[] }
  | { readonly kind: "stored"; readonly sha256: string };

/** The heads, the last event's number and the state that a run goes on from. */
export interface RunStart {
  readonly chainHead: string;
  readonly ledgerHead: string;
  readonly lastSeq: number;
  /** The tree state left by the run before (its position is 0); absent in run 1, which begins at the pinned bases. */
  readonly checkpoint?: CheckpointRef;
}

/**
 * One execution of a plan. Run 1 takes all decisions; a further one what did not land before. Written once, below 16 KB;
 * everything that the opening frontier needs stands in it.
 */
export interface RunRecord {
  readonly v: 1;
  readonly tenant: string;
  readonly planId: string;
  readonly run: number;
  readonly changesetId: string;
  readonly requestedBy: string;
  readonly requestedAtEpochMs: number;
  readonly list: RunList;
  /** Decisions in `list`. */
  readonly decisionCount: number;
  readonly startsFrom: RunStart;
  /** Content: corrected calls by decision id, as JSON (resume after an end; those of earlier runs included). */
  readonly correctionsSha256?: string;
  /** The plan's profile is `auto`: an apply follows should the run complete. */
  readonly autoApply?: true;
}
