import { posix } from "node:path";
import type { DirectoryFiles } from "../../apply/directory-files.ts";
import { ConflictError } from "../../errors/planledger-error.ts";

/** Files below a directory, by paths relative to it with `/`. */
export interface WorkingFiles {
  /** `undefined` when there is none; a link, or anything that is no file, is refused with `symlink_refused` or `not_a_file`. */
  read(path: string): Promise<Uint8Array | undefined>;
  exists(path: string): Promise<boolean>;
  /** Names in a directory, sorted; none when there is no such directory. */
  list(path: string): Promise<readonly string[]>;
  /** Replaces a file at once and durably, or not at all; directories above it are made. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  remove(path: string): Promise<void>;
  removeEmptyDirectory(path: string): Promise<void>;
}

/** Where files are made before they are renamed to their place; one process at a time writes here. */
const staged = ".planledger/sync.new";

/** No path goes through a symbolic link below `root`. */
export function workingFiles({
  root,
  files,
}: {
  readonly root: string;
  readonly files: DirectoryFiles;
}): WorkingFiles {
  const at = (path: string): string => `${root}/${path}`;

  async function directory(path: string): Promise<boolean> {
    let above = "";
    for (const segment of path === "." ? [] : path.split("/")) {
      above = above === "" ? segment : `${above}/${segment}`;
      const node = await files.lookup(at(above));
      if (node === undefined) return false;
      if (node.kind === "directory") continue;
      const what = node.kind === "symlink" ? "a symbolic link" : "not a directory";
      throw new ConflictError({
        code: node.kind === "symlink" ? "symlink_refused" : "not_a_directory",
        message: `${above} is ${what}; a sync reads and writes real directories only. Move it away.`,
        details: { path: above },
      });
    }
    return true;
  }

  async function makeDirectory(path: string): Promise<void> {
    if (path === "." || (await directory(path))) return;
    await makeDirectory(posix.dirname(path));
    await files.makeDirectory(at(path));
    await files.syncDirectory(at(posix.dirname(path)));
  }

  async function file(path: string) {
    if (!(await directory(posix.dirname(path)))) return undefined;
    const node = await files.lookup(at(path));
    if (node === undefined || node.kind === "file") return node;
    const what = node.kind === "symlink" ? "a symbolic link" : "not a file";
    throw new ConflictError({
      code: node.kind === "symlink" ? "symlink_refused" : "not_a_file",
      message: `${path} is ${what}; a sync reads and writes real files only. Move it away.`,
      details: { path },
    });
  }

  return {
    read: async (path) => ((await file(path)) === undefined ? undefined : files.read(at(path), "file")),
    exists: async (path) =>
      (await directory(posix.dirname(path))) && (await files.lookup(at(path))) !== undefined,
    list: async (path) => ((await directory(path)) ? files.list(at(path)) : []),
    async write(path, bytes) {
      const before = await file(path);
      await makeDirectory(posix.dirname(path));
      await makeDirectory(".planledger");
      const ignored = ".planledger/.gitignore";
      if ((await file(ignored)) === undefined) {
        await files.writeFile(at(ignored), Buffer.from("*\n"), { executable: false });
      }
      await files.removeFile(at(staged));
      await files.writeFile(at(staged), bytes, { executable: before?.executable === true });
      if (before !== undefined) await files.copyPermissions(at(path), at(staged));
      await files.rename(at(staged), at(path));
      await files.syncDirectory(at(posix.dirname(path)));
    },
    async remove(path) {
      if ((await file(path)) === undefined) return;
      await files.removeFile(at(path));
      await files.syncDirectory(at(posix.dirname(path)));
    },
    async removeEmptyDirectory(path) {
      if (await directory(path)) await files.removeDirectory(at(path));
    },
  };
}
