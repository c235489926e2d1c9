import { NotFoundError } from "../errors/planledger-error.ts";
import { buildTree } from "../tree/build-tree.ts";
import type { Directory, DirectoryRef } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import type { TreeFile } from "../tree/walk-tree.ts";

export interface TreeDirectories {
  readonly root: DirectoryRef;
  /** Every directory once, subdirectories before those that name them. */
  readonly directories: readonly Directory[];
}

/** The directories of a tree that holds exactly these files. Refuses what `buildTree` refuses. */
export async function treeDirectories(files: Iterable<TreeFile>): Promise<TreeDirectories> {
  const collected = new Map<string, Directory>();
  const collector: TreeStore = {
    get: async (sha256) => {
      throw new NotFoundError({ code: "not_found", message: `There is no directory ${sha256}.` });
    },
    put: async (added) =>
      added.map((directory) => {
        const ref = directoryRef(directory);
        if (!collected.has(ref.sha256)) collected.set(ref.sha256, directory);
        return ref;
      }),
    missing: async (sha256s) => sha256s.filter((sha256) => !collected.has(sha256)),
  };
  const root = await buildTree(collector, files);
  return { root, directories: [...collected.values()] };
}
