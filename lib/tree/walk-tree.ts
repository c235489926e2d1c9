import type { Directory } from "./directory.ts";
import type { FileState } from "./file-state.ts";
import { loadDirectory } from "./load-directory.ts";
import { lookupPath } from "./lookup-path.ts";
import type { TreeStore } from "./tree-store.ts";

export interface TreeFile {
  readonly path: string;
  readonly file: FileState;
}

/** So many of a directory's next subdirectories are being loaded while the walk is in one of them. */
const loadedAhead = 8;

/**
 * The files at or below a path of a tree (`""` for all), in byte order of their whole paths; nothing where the path is
 * absent. Directories are loaded a few ahead of the walk, so a reader that stops early has loaded little.
 */
export async function* walkTree(
  store: TreeStore,
  rootSha256: string,
  prefix = "",
): AsyncGenerator<TreeFile, void, undefined> {
  const start = await lookupPath(store, rootSha256, prefix);
  if (start?.kind === "file") yield { path: prefix, file: start.file };
  if (start?.kind === "directory") {
    const directory = await loadDirectory(store, start.directory.sha256);
    yield* walkDirectory(store, directory, prefix === "" ? "" : `${prefix}/`);
  }
}

/** `prefix` ends in `/`, unless it is the root's. */
async function* walkDirectory(
  store: TreeStore,
  { entries }: Directory,
  prefix: string,
): AsyncGenerator<TreeFile, void, undefined> {
  const hashes = entries.flatMap((entry) => (entry.kind === "directory" ? [entry.directory.sha256] : []));
  const loading: Promise<Directory>[] = [];
  let walked = 0;
  for (const entry of entries) {
    if (entry.kind === "file") {
      yield { path: prefix + entry.name, file: entry.file };
      continue;
    }
    for (const sha256 of hashes.slice(loading.length, walked + loadedAhead)) {
      const directory = loadDirectory(store, sha256);
      // A failure is thrown where the walk comes to it, or to nobody when the reader has stopped.
      directory.catch(() => undefined);
      loading.push(directory);
    }
    const directory = await loading[walked];
    walked += 1;
    if (directory !== undefined) yield* walkDirectory(store, directory, `${prefix}${entry.name}/`);
  }
}
