import type { FileState } from "../tree/file-state.ts";

/** What an apply does to one path of a target: what must stand there now, and what stands there after. */
export interface NetChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/**
 * Why two changes of one path cannot be merged. `overlap`: both changed the same lines, or lines that touch; `too_different`:
 * too many changed to be sure of git's result; `binary`, `symlink`: both changed what has no lines; `too_large`: together they
 * pass the limit of a file; `mode`: same content made under different modes; `type`: one made a link of a file, or a file of a
 * link; `delete_modify`: one removed what the other changed; `create_create`: both made the path, each with other content.
 */
export type MergeConflictReason =
  | "overlap"
  | "too_different"
  | "binary"
  | "symlink"
  | "too_large"
  | "mode"
  | "type"
  | "delete_modify"
  | "create_create";

/**
 * A path whose target is not what the changeset was made on. `found` is what stands there; `null` is absence. `blocked`: a
 * directory stands in the place of a file, or a file or link in the place of a directory above.
 */
export interface ApplyConflict {
  readonly path: string;
  readonly expected: FileState | null;
  readonly found:
    | FileState
    | null
    | { readonly kind: "directory" | "below_symlink" | "below_file" | "other" };
  readonly reason: "moved" | "uncommitted" | "blocked" | MergeConflictReason;
}
