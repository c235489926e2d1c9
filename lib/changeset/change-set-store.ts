import type { ChangeEntry } from "./change-entry.ts";
import type { ChangeSet } from "./change-set.ts";

/** All entries of one decision, written whole. `position` counts the decisions recorded in the changeset before it. */
export interface DecisionChanges {
  readonly decisionId: string;
  readonly position: number;
  readonly entries: readonly ChangeEntry[];
  /** Content before and after, by SHA-256, of what the entries refer to and the store may lack. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * Changesets by id. `append` is idempotent by (changeset, position): the same again changes nothing, another under the same
 * position is a `ConflictError` (`store_conflict`), a sealed changeset refuses with `changeset_sealed`. Reads are strongly
 * consistent. Content stays readable for as long as the changeset does.
 */
export interface ChangeSetStore {
  start(changeset: { readonly changesetId: string; readonly planId: string }): Promise<void>;
  append(changesetId: string, changes: DecisionChanges): Promise<void>;
  seal(changesetId: string, digest: string): Promise<void>;
  get(changesetId: string): Promise<ChangeSet | undefined>;
  content(changesetId: string, sha256: string): Promise<Uint8Array | undefined>;
}
