import { constants } from "node:fs";
import {
  access,
  chmod,
  lstat,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
} from "node:fs/promises";
import { ConflictError } from "../errors/planledger-error.ts";
import type { DirectoryFiles, DiskNode } from "./directory-files.ts";
import { makeDirectories } from "./make-directories.ts";

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;
const absent = (error: unknown): boolean => codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";

const stays: ReadonlySet<unknown> = new Set(["ENOTEMPTY", "EEXIST", "EBUSY", "EACCES", "EPERM"]);

/** A fault of writing through an open file names none. */
const naming = (path: string, error: unknown): unknown =>
  error instanceof Error ? Object.assign(error, { message: `${error.message} '${path}'`, path }) : error;

/** Where a directory stands in the place of a file, the fault that says so; else the disk's own. */
async function notAFile(path: string, error: unknown): Promise<unknown> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return error;
  return new ConflictError({
    code: "not_a_file",
    message: `${path} is a directory, and a file is to stand there; move it away, and run the command again.`,
    details: { path },
    cause: error,
  });
}

/** `DirectoryFiles` on the machine's own disk. */
export function nodeDirectoryFiles(): DirectoryFiles {
  return {
    async lookup(path): Promise<DiskNode | undefined> {
      try {
        const found = await lstat(path);
        if (found.isSymbolicLink()) return { kind: "symlink" };
        if (found.isDirectory()) return { kind: "directory" };
        return found.isFile() ? { kind: "file", executable: (found.mode & 0o100) !== 0 } : { kind: "other" };
      } catch (error) {
        if (absent(error)) return undefined;
        throw error;
      }
    },
    async list(path) {
      try {
        return (await readdir(path)).sort();
      } catch (error) {
        if (absent(error)) return [];
        throw error;
      }
    },
    async read(path, kind) {
      return kind === "symlink" ? readlink(path, { encoding: "buffer" }) : readFile(path);
    },
    async writeFile(path, bytes, options) {
      const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
      const file = await open(path, flags, options.executable ? 0o777 : 0o666).catch(
        async (error: unknown) => {
          throw await notAFile(path, error);
        },
      );
      try {
        await file.writeFile(bytes);
        await file.sync();
      } catch (error) {
        throw naming(path, error);
      } finally {
        await file.close();
      }
    },
    async copyPermissions(from, to) {
      const [wanted, found] = [(await lstat(from)).mode & 0o777, (await lstat(to)).mode & 0o777];
      // Some disks know no permissions and refuse even to set those that stand.
      if (wanted !== found) await chmod(to, wanted);
    },
    async makeSymlink(path, target) {
      await symlink(Buffer.from(target), path);
    },
    async makeDirectory(path) {
      await makeDirectories(path);
    },
    rename,
    async renameObstacle(from, into) {
      const [here, there] = await Promise.all([lstat(from), lstat(into)]);
      if (here.dev !== there.dev) return "other_file_system";
      try {
        await access(into, constants.W_OK | constants.X_OK);
        return undefined;
      } catch {
        return "not_writable";
      }
    },
    async removeFile(path) {
      await unlink(path).catch(async (error: unknown) => {
        if (!absent(error)) throw await notAFile(path, error);
      });
    },
    async removeDirectory(path) {
      try {
        await rmdir(path);
        return true;
      } catch (error) {
        if (absent(error)) return true;
        if (stays.has(codeOf(error))) return false;
        throw error;
      }
    },
    async syncDirectory(path) {
      const directory = await open(path, constants.O_RDONLY);
      try {
        await directory.sync();
      } finally {
        await directory.close();
      }
    },
  };
}
