import type { FileState } from "../tree/file-state.ts";

/** What an apply does to one path of a target: what must stand there now, and what stands there after. */
export interface NetChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/** A path whose target is not what the changeset was made on. `found` is what stands there; `null` is absence. */
export interface ApplyConflict {
  readonly path: string;
  readonly expected: FileState | null;
  readonly found:
    | FileState
    | null
    | { readonly kind: "directory" | "below_symlink" | "below_file" | "other" };
  readonly reason: "moved" | "uncommitted" | "blocked" | "merge";
}
