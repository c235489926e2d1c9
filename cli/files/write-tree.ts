import { randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, realpath, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeDirectories } from "#lib/apply/make-directories.ts";
import type { FileMode } from "#lib/tree/file-state.ts";
import { checkPath } from "#lib/tree/path-rules.ts";
import { UsageError } from "../usage-error.ts";
import { readAhead } from "./read-ahead.ts";

/** A file to write below a directory; a symbolic link's bytes are its target. */
export interface WrittenFile {
  readonly path: string;
  readonly mode: FileMode;
  readonly read: () => Promise<Uint8Array>;
}

/**
 * Writes files below a directory, which is made if need be. Each is written beside its place and renamed into it. No path
 * leaves the directory and nothing is written through a symbolic link below it: a link (or a file) that stands where a
 * directory is needed is refused, and links come last. With `overwrite` a file or link in the place itself is replaced,
 * else it is refused, also where the file system takes two names for one.
 */
export async function writeTree(
  directory: string,
  options: { readonly files: readonly WrittenFile[]; readonly overwrite: boolean },
): Promise<void> {
  await makeDirectories(directory);
  const root = await realpath(directory);
  for (const { path } of options.files) checkPath(path);
  const made = new Set<string>();
  const linksLast = options.files.toSorted(
    (one, other) => Number(one.mode === "120000") - Number(other.mode === "120000"),
  );
  const nextBytes = readAhead(linksLast.map(({ read }) => read));
  for (const file of linksLast) {
    await makeParents(root, file.path, made);
    await placeFile(root, { ...file, read: nextBytes }, options.overwrite);
  }
}

/** Whether there is nothing in a directory, or no such directory. */
export async function isVacant(directory: string): Promise<boolean> {
  const names = await readdir(directory).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return [];
    if (fault.code === "ENOTDIR") throw new UsageError(`${directory} is not a directory`);
    throw fault;
  });
  return names.length === 0;
}

async function makeParents(root: string, path: string, made: Set<string>): Promise<void> {
  const segments = path.split("/").slice(0, -1);
  for (let depth = 1; depth <= segments.length; depth += 1) {
    const parent = segments.slice(0, depth).join("/");
    if (made.has(parent)) continue;
    const found = await standing(join(root, parent));
    if (found === undefined) await mkdir(join(root, parent));
    else if (!found.isDirectory()) {
      const what = found.isSymbolicLink() ? "a symbolic link" : "a file";
      throw new UsageError(
        `${JSON.stringify(parent)} in ${root} is ${what}, and ${JSON.stringify(path)} must be written below it; move it away, or choose another directory`,
      );
    }
    made.add(parent);
  }
}

async function placeFile(root: string, file: WrittenFile, overwrite: boolean): Promise<void> {
  const place = join(root, file.path);
  const found = await standing(place);
  if (found !== undefined && (found.isDirectory() || !overwrite)) {
    const what = found.isDirectory() ? "a directory" : "there already";
    throw new UsageError(
      `${JSON.stringify(file.path)} in ${root} is ${what}; ${found.isDirectory() ? "move it away, or choose another directory" : "use --force to overwrite"}`,
    );
  }
  const bytes = await file.read();
  const temporary = join(dirname(place), `.planledger-${randomUUID()}`);
  try {
    if (file.mode === "120000") await symlink(Buffer.from(bytes), temporary);
    else {
      const handle = await open(temporary, "wx", file.mode === "100755" ? 0o777 : 0o666);
      try {
        await handle.writeFile(bytes);
      } finally {
        await handle.close();
      }
    }
    await rename(temporary, place);
  } catch (fault) {
    await rm(temporary, { force: true });
    throw fault;
  }
}

const standing = (path: string) =>
  lstat(path).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return undefined;
    throw fault;
  });
