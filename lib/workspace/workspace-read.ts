/**
 * One thing a decision read of a resource's tree as it stood before the decision, recorded from the start since speculation
 * needs it: what stood at a path (of a file or link its content and mode), or absence (`null`); the names in a directory; a
 * whole subtree (searches). What a decision reads of its own writes is no read. `namesSha256` and `subtreeSha256`
 * (`read-digest.ts`) say what the two hashes cover.
 */
export type WorkspaceRead =
  | {
      readonly kind: "node";
      /** The resource's own name, never a binding of it. */
      readonly resource: string;
      readonly path: string;
      readonly found: {
        readonly type: "file" | "symlink" | "directory";
        readonly sha256?: string;
        readonly mode?: string;
      } | null;
    }
  | { readonly kind: "names"; readonly resource: string; readonly path: string; readonly sha256: string }
  | { readonly kind: "subtree"; readonly resource: string; readonly path: string; readonly sha256: string };
