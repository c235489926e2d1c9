import type { Directory } from "../tree/directory.ts";
import { loadDirectory } from "../tree/load-directory.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { walkTree } from "../tree/walk-tree.ts";
import type { ApplyConflict } from "./net-change.ts";

export type Found = ApplyConflict["found"];
export type InTheWay = Exclude<Found, null | { readonly sha256: string }>;

export const isInTheWay = (found: Found): found is InTheWay => found !== null && "kind" in found;

/** A target as it is now, loaded only along the paths that are asked for, each directory once. */
export interface TargetTree {
  find(path: string): Promise<Found>;
  /**
   * Whether a file can be put at a path where `find` met something in the way, once all of `removed` is gone: every file that
   * stands there, or above it, is one of these.
   */
  hasRoom(path: string, found: InTheWay, removed: ReadonlySet<string>): Promise<boolean>;
}

export function targetTree(trees: TreeStore, root: string): TargetTree {
  const loading = new Map<string, Promise<Directory>>();
  const directory = (sha256: string): Promise<Directory> => {
    const known = loading.get(sha256);
    if (known !== undefined) return known;
    const loaded = loadDirectory(trees, sha256);
    loading.set(sha256, loaded);
    return loaded;
  };

  /** What stands at a path, and at which path the search ended: above it where a file or link bars the way. */
  async function look(path: string): Promise<{ readonly found: Found; readonly endedAt: string }> {
    const names = path.split("/");
    let { entries } = await directory(root);
    for (const [index, name] of names.entries()) {
      const endedAt = names.slice(0, index + 1).join("/");
      const isLast = index === names.length - 1;
      const entry = entries.find((candidate) => candidate.name === name);
      if (entry === undefined) return { found: null, endedAt };
      if (entry.kind === "file") {
        if (isLast) return { found: entry.file, endedAt };
        return {
          found: { kind: entry.file.mode === "120000" ? "below_symlink" : "below_file" },
          endedAt,
        };
      }
      if (isLast) break;
      ({ entries } = await directory(entry.directory.sha256));
    }
    return { found: { kind: "directory" }, endedAt: path };
  }

  return {
    find: async (path) => (await look(path)).found,
    async hasRoom(path, found, removed) {
      if (found.kind !== "directory") return removed.has((await look(path)).endedAt);
      for await (const file of walkTree(trees, root, path)) {
        if (!removed.has(file.path)) return false;
      }
      return true;
    },
  };
}
