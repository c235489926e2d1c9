import { InfrastructureError, NotFoundError } from "../errors/planledger-error.ts";
import type { DirectoryEntry } from "../tree/directory.ts";
import { loadDirectory } from "../tree/load-directory.ts";
import type { TreeStore } from "../tree/tree-store.ts";

export type BaseDirectory = ReadonlyMap<string, DirectoryEntry>;

/** The directories of a base tree, each loaded when it is first asked for and kept. */
export interface BaseTree {
  directory(sha256: string): Promise<BaseDirectory>;
  /** The base's own entry at a path; `undefined` where it has none. Links are not followed. */
  entry(path: string): Promise<DirectoryEntry | undefined>;
}

/**
 * A directory that the store lacks is an `InfrastructureError`: the tree was pinned when the plan was accepted, so no call
 * can be at fault.
 */
export const baseTree = (trees: TreeStore, rootSha256: string): BaseTree => {
  const loaded = new Map<string, Promise<BaseDirectory>>();

  const load = async (sha256: string): Promise<BaseDirectory> => {
    try {
      const { entries } = await loadDirectory(trees, sha256);
      return new Map(entries.map((entry) => [entry.name, entry]));
    } catch (cause) {
      loaded.delete(sha256);
      if (!(cause instanceof NotFoundError)) throw cause;
      throw new InfrastructureError({
        code: "content_missing",
        message: `The directory ${sha256} of the base tree ${rootSha256} is not in the store.`,
        cause,
      });
    }
  };

  const directory = (sha256: string): Promise<BaseDirectory> => {
    const known = loaded.get(sha256);
    if (known !== undefined) return known;
    const loading = load(sha256);
    loaded.set(sha256, loading);
    return loading;
  };

  return {
    directory,
    async entry(path) {
      let below: BaseDirectory | undefined = await directory(rootSha256);
      let entry: DirectoryEntry | undefined;
      for (const name of path.split("/")) {
        if (below === undefined) return undefined;
        entry = below.get(name);
        if (entry === undefined) return undefined;
        below = entry.kind === "directory" ? await directory(entry.directory.sha256) : undefined;
      }
      return entry;
    },
  };
};
