import type { DirectoryRef } from "./directory.ts";
import { directoryRef } from "./directory-ref.ts";
import type { FileState } from "./file-state.ts";
import { loadDirectory } from "./load-directory.ts";
import type { TreeStore } from "./tree-store.ts";

export type TreeNode =
  | { readonly kind: "file"; readonly file: FileState }
  | { readonly kind: "directory"; readonly directory: DirectoryRef };

/**
 * What stands at a path of the tree with this root (`""` is the root itself), or `undefined`: links are not followed, below
 * a file there is nothing. Loads one directory for each segment of the path.
 */
export const lookupPath = async (
  store: TreeStore,
  rootSha256: string,
  path: string,
): Promise<TreeNode | undefined> => {
  const root = await loadDirectory(store, rootSha256);
  if (path === "") return { kind: "directory", directory: directoryRef(root) };
  const names = path.split("/");
  let directory = root;
  for (const [index, name] of names.entries()) {
    const entry = directory.entries.find((candidate) => candidate.name === name);
    if (entry === undefined) return undefined;
    if (index === names.length - 1) {
      return entry.kind === "file"
        ? { kind: "file", file: entry.file }
        : { kind: "directory", directory: entry.directory };
    }
    if (entry.kind === "file") return undefined;
    directory = await loadDirectory(store, entry.directory.sha256);
  }
  return undefined;
};
