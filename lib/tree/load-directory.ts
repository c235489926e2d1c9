import type { Directory } from "./directory.ts";
import { emptyDirectory, emptyTree } from "./empty-tree.ts";
import type { TreeStore } from "./tree-store.ts";

/** A directory by hash; the empty one without asking the store. Throws `NotFoundError` as `TreeStore.get` does. */
export const loadDirectory = async (store: TreeStore, sha256: string): Promise<Directory> =>
  sha256 === emptyTree.sha256 ? emptyDirectory : store.get(sha256);
