import type { ConflictPolicy } from "./conflict-policy.ts";

/** Why nothing is done about an item. */
export type SkipReason =
  | "unchanged"
  | "same_on_both_sides"
  | "changed_on_server"
  | "deleted_on_server"
  | "changed_here"
  | "new_here"
  | "deleted_here"
  | "server_wins"
  | "local_wins"
  | "local_unreadable"
  | "changed_while_syncing";

export type ConflictReason =
  | "both_changed"
  | "no_base"
  | "edited_here_deleted_there"
  | "deleted_here_edited_there";

/** The policy that resolved a conflict. */
type Resolved = { readonly resolved?: Exclude<ConflictPolicy, "manual"> };

/**
 * What is to happen to one item. `expectedRevision` is the condition of a write on the server. `keepCopy`: the local content
 * is nowhere else, so a copy is kept before it is overwritten or deleted.
 */
export type SyncDecision =
  /** Not counted. `agreed`: it is on neither side; else there is nothing of this direction to do about it. */
  | { readonly kind: "none"; readonly agreed: boolean }
  | { readonly kind: "skip"; readonly reason: SkipReason }
  | ({ readonly kind: "create"; readonly expectedRevision: number } & Resolved)
  | ({ readonly kind: "update"; readonly expectedRevision: number } & Resolved)
  | ({ readonly kind: "pull"; readonly keepCopy: boolean } & Resolved)
  | ({ readonly kind: "delete_remote"; readonly expectedRevision: number } & Resolved)
  | ({ readonly kind: "delete_local"; readonly keepCopy: boolean } & Resolved)
  | { readonly kind: "conflict"; readonly reason: ConflictReason }
  | {
      readonly kind: "error";
      readonly reason: "older_version";
      readonly side: "local" | "server";
      readonly version: string;
      readonly against: string;
    };
