import { constants } from "node:fs";
import { mkdir, open, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { diskFault } from "./disk-error.ts";

/** What a write leaves at a path: a file with these permission bits, or a link. */
export interface DiskWrite {
  readonly bytes: Uint8Array;
  readonly kind: "file" | "symlink";
  readonly permissions: number;
}

/** Names of files that a write is still making; one left behind by a crash is swept when the workspace is next opened. */
export const unfinishedName = /^\.planledger-write-\d+\.tmp$/;

/**
 * Puts files into a directory so that each is there whole or not at all: a temporary file beside it, then a rename, which
 * replaces a link instead of writing through it. The caller has checked what stands above.
 */
export const diskWriter = (root: string): { put(path: string, write: DiskWrite): Promise<void> } => {
  let count = 0;
  return {
    async put(path, { bytes, kind, permissions }) {
      const target = join(root, path);
      count += 1;
      const unfinished = join(dirname(target), `.planledger-write-${count}.tmp`);
      try {
        await mkdir(dirname(target), { recursive: true });
        if (kind === "symlink") await symlink(Buffer.from(bytes), unfinished);
        else await writeNew(unfinished, bytes, permissions);
        await rename(unfinished, target);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw diskFault(path, error);
      }
    },
  };
};

const writeNew = async (target: string, bytes: Uint8Array, permissions: number): Promise<void> => {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(target, flags, 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.chmod(permissions);
  } finally {
    await handle.close();
  }
};
