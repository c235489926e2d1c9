import type { ChangeEntry } from "../changeset/change-entry.ts";

/** A decision that a partial apply takes with it, by whom it is needed, and for what. */
export interface AddedDecision {
  readonly decisionId: string;
  /** The decision that depends on it: one that was asked for, or was added itself. */
  readonly neededBy: string;
  readonly because:
    | { readonly kind: "depends_on" }
    /** It wrote what the other read or wrote there, or made or removed the directory there. */
    | { readonly kind: "path"; readonly resource: string; readonly path: string };
}

/** A call of a tool that reaches outside, whose effect no rollback undoes; `unknown`: it may have had one. */
export interface ExternalEffect {
  readonly decisionId: string;
  readonly callOrdinal: number;
  readonly tool: string;
  readonly outcome: "succeeded" | "unknown";
}

interface DerivedFrom {
  readonly v: 1;
  readonly planId: string;
  /** Digest of the changeset that it was derived from: sealed, or derived itself. */
  readonly of: string;
  /** The tree that it is made for, by resource. */
  readonly baseTrees: Readonly<Record<string, string>>;
  /** In the order in which they are applied; each keeps the decision and the call of its source. */
  readonly entries: readonly ChangeEntry[];
  readonly digest: string;
  /** Who made it first; no digest covers it, and what an earlier version stored has none. */
  readonly derivedBy?: string | undefined;
}

export interface MergeChangeset extends DerivedFrom {
  readonly kind: "merge";
}

export interface PartialChangeset extends DerivedFrom {
  readonly kind: "partial";
  /** Decisions asked for, in plan order. */
  readonly only: readonly string[];
  /** Decisions added to them, in plan order. */
  readonly added: readonly AddedDecision[];
}

export interface RollbackChangeset extends DerivedFrom {
  readonly kind: "rollback";
  /** The digest that it undoes: the same as `of`, so that its own digest covers it. */
  readonly undoes: string;
  readonly externalEffects: readonly ExternalEffect[];
}

/**
 * A changeset made from another one: merged onto a target that moved, a part of the decisions, or the way back. It has a
 * digest of its own (`derivedDigest`), under which it passes the gate anew and is applied like any other.
 */
export type DerivedChangeset = MergeChangeset | PartialChangeset | RollbackChangeset;
