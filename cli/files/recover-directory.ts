import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { directoryTarget } from "#lib/apply/directory-target.ts";
import { nodeDirectoryFiles } from "#lib/apply/node-directory-files.ts";
import type { Session } from "../session.ts";
import { withDirectoryLock } from "./directory-lock.ts";
import { uncommittedPaths } from "./uncommitted-paths.ts";

/** A directory that changesets are applied to, its path real. */
export const openDirectoryTarget = (root: string) =>
  directoryTarget({
    root,
    files: nodeDirectoryFiles(),
    uncommitted: (paths) => uncommittedPaths(root, paths),
  });

/**
 * Before a directory is read: an apply to it that was interrupted is finished, or dropped where nothing was changed yet, so that
 * nobody takes half of a changeset for the files. Touches nothing where no apply was under way.
 */
export async function recoverDirectory(session: Session, root: string): Promise<void> {
  const left = await lstat(join(root, ".planledger", "apply")).catch(() => undefined);
  if (left?.isDirectory() !== true) return;
  await withDirectoryLock(root, async () => sayRecovered(session, await openDirectoryTarget(root).recover()));
}

/** Says on stderr what a recovery did. */
export function sayRecovered(session: Session, { finished }: { readonly finished?: string }): void {
  if (finished !== undefined) {
    session.stderr.write(`finished the apply of ${finished} that was interrupted\n`);
  }
}
