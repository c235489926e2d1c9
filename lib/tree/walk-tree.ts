import type { FileState } from "./file-state.ts";
import { loadDirectory } from "./load-directory.ts";
import { lookupPath } from "./lookup-path.ts";
import type { TreeStore } from "./tree-store.ts";

export interface TreeFile {
  readonly path: string;
  readonly file: FileState;
}

/**
 * The files at or below a path of a tree (`""` for all), in byte order of their whole paths; nothing where the path is
 * absent. Directories are loaded as the walk comes to them, so a reader that stops early has loaded little.
 */
export async function* walkTree(
  store: TreeStore,
  rootSha256: string,
  prefix = "",
): AsyncGenerator<TreeFile, void, undefined> {
  const start = await lookupPath(store, rootSha256, prefix);
  if (start?.kind === "file") yield { path: prefix, file: start.file };
  if (start?.kind === "directory") {
    yield* walkDirectory(store, start.directory.sha256, prefix === "" ? "" : `${prefix}/`);
  }
}

/** `prefix` ends in `/`, unless it is the root's. */
async function* walkDirectory(
  store: TreeStore,
  sha256: string,
  prefix: string,
): AsyncGenerator<TreeFile, void, undefined> {
  const { entries } = await loadDirectory(store, sha256);
  for (const entry of entries) {
    if (entry.kind === "file") yield { path: prefix + entry.name, file: entry.file };
    else yield* walkDirectory(store, entry.directory.sha256, `${prefix}${entry.name}/`);
  }
}
