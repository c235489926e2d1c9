import type { Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFile } from "#lib/client/upload-tree.ts";
import { readDirectoryTree } from "#lib/tree/read-directory-tree.ts";
import { UsageError } from "../usage-error.ts";
import { gitWorkTreePaths } from "./git-work-tree-paths.ts";
import { unignoredPaths } from "./unignored-paths.ts";

export interface SourceTree {
  readonly files: readonly SourceFile[];
  /** What was left out for what it is (sockets, devices), by path. */
  readonly leftOut: readonly string[];
}

/**
 * The files of a directory as a project takes them: in a git work tree the tracked ones and those untracked that are not
 * ignored, else all that `.gitignore` files do not exclude; `.git` and `.planledger` never. Deleted files are left out; modes
 * and links are those on disk. Submodules and nested repositories are refused. `named` is the directory as the caller named it.
 */
export async function sourceTree(directory: string, named = directory): Promise<SourceTree> {
  const root = await realpath(directory).catch(() => undefined);
  if (root === undefined || !(await lstat(root)).isDirectory()) {
    throw new UsageError(`${named} is not a directory`);
  }
  const paths = (await gitWorkTreePaths(root)) ?? (await unignoredPaths(root));
  const files: SourceFile[] = [];
  const leftOut: string[] = [];
  const realDirectories = new Map<string, boolean>([["", true]]);
  for (const path of [...paths].sort()) {
    if (path.split("/").includes(".planledger")) continue;
    // A tracked file below what is a link now is deleted, as git sees it.
    if (!(await isRealDirectory(root, parentOf(path), realDirectories))) continue;
    const found = await lstat(join(root, path)).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code === "ENOENT" || fault.code === "ENOTDIR") return undefined;
      throw fault;
    });
    if (found === undefined || found.isDirectory()) continue;
    if (found.isFile() || found.isSymbolicLink()) files.push(sourceFile(root, path, found));
    else leftOut.push(path);
  }
  return { files, leftOut };
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** No link on the way. */
async function isRealDirectory(root: string, path: string, known: Map<string, boolean>): Promise<boolean> {
  const before = known.get(path);
  if (before !== undefined) return before;
  const real =
    (await isRealDirectory(root, parentOf(path), known)) &&
    (await lstat(join(root, path)).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  known.set(path, real);
  return real;
}

function sourceFile(root: string, path: string, found: Stats): SourceFile {
  const mode = found.isSymbolicLink() ? "120000" : (found.mode & 0o100) === 0 ? "100644" : "100755";
  return {
    path,
    mode,
    read: async () => {
      for await (const { bytes } of readDirectoryTree(root, [path])) return bytes;
      throw new Error(`${path} was not read`);
    },
  };
}
