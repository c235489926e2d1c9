import { lstat, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Runs an action that changes a directory (a sync, an apply, or what finishes one) with no other at the same time. The lock is one of the operating
 * system on a file in `.planledger`, so it ends with its process, however that ends.
 */
export async function withDirectoryLock<Result>(
  root: string,
  action: () => Promise<Result>,
): Promise<Result> {
  const own = join(root, ".planledger");
  await makeOwnFolder(own);
  const { DatabaseSync } = await import("node:sqlite");
  const lockPath = join(own, "apply.lock");
  const lock = openLock(() => new DatabaseSync(lockPath, { timeout: 0 }), lockPath);
  try {
    try {
      lock.exec("BEGIN EXCLUSIVE");
    } catch (cause) {
      if (!isBusy(cause)) throw notALock(lockPath, cause);
      throw new ConflictError({
        code: "directory_in_use",
        message: `another command is at work in ${root}, a sync or an apply; run this one again when that is done`,
        details: { directory: root },
        cause,
      });
    }
    return await action();
  } finally {
    lock.close();
  }
}

function openLock<Lock>(open: () => Lock, lockPath: string): Lock {
  try {
    return open();
  } catch (cause) {
    throw notALock(lockPath, cause);
  }
}

/** SQLite's codes for a lock that another connection holds; the low byte is the code, the rest says more about it. */
const busyCodes: ReadonlySet<number> = new Set([5, 6]);

const isBusy = (fault: unknown): boolean =>
  fault instanceof Error &&
  "errcode" in fault &&
  typeof fault.errcode === "number" &&
  busyCodes.has(fault.errcode & 0xff);

const notALock = (lockPath: string, cause: unknown): UsageError =>
  new UsageError(
    `${lockPath} cannot be locked (${cause instanceof Error ? cause.message : cause}); when no other command uses the directory, remove that file`,
  );

/** A real folder that git does not see. */
async function makeOwnFolder(own: string): Promise<void> {
  const found = await lstat(own).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === "ENOENT") return undefined;
    throw fault;
  });
  if (found !== undefined && !found.isDirectory()) {
    throw new ConflictError({
      code: "symlink_refused",
      message: `${own} must be a directory of its own; remove what stands there`,
    });
  }
  if (found === undefined) await mkdir(own, { mode: 0o700 });
  await writeFile(join(own, ".gitignore"), "*\n", { flag: "wx" }).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== "EEXIST") throw fault;
  });
}
