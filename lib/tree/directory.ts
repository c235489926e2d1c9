import type { FileState } from "./file-state.ts";

/** A subdirectory as its parent records it: `sha256` addresses the directory in the tree store; `gitTreeId` is git's SHA-1. */
export interface DirectoryRef {
  readonly sha256: string;
  readonly gitTreeId: string;
}

export type DirectoryEntry =
  | { readonly kind: "file"; readonly name: string; readonly file: FileState }
  | { readonly kind: "directory"; readonly name: string; readonly directory: DirectoryRef };

/**
 * One level of a tree, its entries in git's order (bytes of the name, a directory as if it ended in `/`), none twice.
 * An empty directory exists only as the root of an empty tree.
 */
export interface Directory {
  readonly entries: readonly DirectoryEntry[];
}
