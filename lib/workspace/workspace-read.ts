/**
 * One thing a call read of a workspace, recorded from the start since speculation needs it: a file's or link's content
 * (`sha256`) and mode, or absence (`null`); the names in a directory; a whole subtree (searches).
 */
export type WorkspaceRead =
  | {
      readonly kind: "node";
      readonly path: string;
      readonly found: {
        readonly type: "file" | "symlink" | "directory";
        readonly sha256?: string;
        readonly mode?: string;
      } | null;
    }
  | { readonly kind: "names"; readonly path: string; readonly sha256: string }
  | { readonly kind: "subtree"; readonly path: string; readonly sha256: string };
