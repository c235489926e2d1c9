import { ValidationError } from "../errors/planledger-error.ts";
import type { DirectoryRef } from "./directory.ts";
import { editTree } from "./edit-tree.ts";
import { emptyTree } from "./empty-tree.ts";
import type { FileState } from "./file-state.ts";
import type { TreeStore } from "./tree-store.ts";
import type { TreeFile } from "./walk-tree.ts";

/**
 * Puts the directories of a tree that holds these files, in any order, and returns its root. Throws `ValidationError` for a
 * refused path, for one that comes twice, and for one that is both a file and a directory.
 */
export const buildTree = async (
  store: TreeStore,
  files: AsyncIterable<TreeFile> | Iterable<TreeFile>,
): Promise<DirectoryRef> => {
  const edits = new Map<string, FileState>();
  for await (const { path, file } of files) {
    if (edits.has(path)) {
      throw new ValidationError({
        field: "path",
        message: `The path ${JSON.stringify(path)} comes twice; a tree holds each path once.`,
        details: { path },
      });
    }
    edits.set(path, file);
  }
  if (edits.size === 0) await store.put([{ entries: [] }]);
  return editTree(store, emptyTree.sha256, edits);
};
