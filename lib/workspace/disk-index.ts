import { type BigIntStats, constants } from "node:fs";
import { open, readlink } from "node:fs/promises";
import { contentState } from "../content/content-state.ts";
import type { ContentStore } from "../content/content-store.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { maxFileSizeBytes } from "../tree/file-limit.ts";
import type { FileState } from "../tree/file-state.ts";
import { diskFault, isAbsent } from "./disk-error.ts";
import { type DiskNode, walkDisk } from "./disk-walk.ts";

/** A file or link on disk, with the permission bits that a tree does not keep. */
export interface DiskFile {
  readonly state: FileState;
  readonly permissions: number;
}

export interface DiskScan {
  readonly files: ReadonlyMap<string, DiskFile>;
  readonly directories: ReadonlySet<string>;
}

/** Reads what a directory holds, and hashes again only what may have changed since it was last hashed. */
export interface DiskIndex {
  /**
   * Files and directories; the content of every file is in the content store afterwards. Throws a `ValidationError` that names
   * the path for what no tree can hold: a pipe or socket, a name that is not UTF-8 or refused, a file above the limit.
   */
  scan(): Promise<DiskScan>;
  /** One file or link of a walk; `undefined` when it is gone. */
  file(node: DiskNode): Promise<DiskFile | undefined>;
  /** Files and links read so far, for tests that hold scans to a bound. */
  reads(): number;
}

interface Known extends DiskFile {
  readonly stats: BigIntStats;
  /** Changed before the newest change seen when it was read: any later change has a later ctime, and shows. */
  readonly settled: boolean;
}

/**
 * The guard against a change within one tick of the file system's clock is git's ("racily clean"), without a clock: a walk
 * comes before the reading, so the newest ctime it saw is not after the time of reading. A file whose own ctime is older
 * than that cannot change unseen; any other is hashed again the next time.
 */
export const diskIndex = (root: string, content: Pick<ContentStore, "put">): DiskIndex => {
  const known = new Map<string, Known>();
  const stored = new Set<string>();
  let newestChange = 0n;
  let reads = 0;

  const seen = (nodes: readonly DiskNode[]): void => {
    for (const { stats } of nodes) {
      if (stats.ctimeNs > newestChange) newestChange = stats.ctimeNs;
    }
  };

  const file = async (node: DiskNode): Promise<DiskFile | undefined> => {
    const { path } = node;
    if (path === undefined || node.kind === "other" || node.kind === "directory") throw notForTrees(node);
    const cached = known.get(path);
    if (cached?.settled && sameStats(cached.stats, node.stats)) return cached;
    const horizon = newestChange;
    reads += 1;
    const found = node.kind === "symlink" ? await readLinkNode(node) : await readFileNode(node);
    if (found === undefined) {
      known.delete(path);
      return undefined;
    }
    if (!stored.has(found.state.sha256)) {
      await content.put([found.bytes]);
      stored.add(found.state.sha256);
    }
    const { state, permissions, stats } = found;
    known.set(path, { state, permissions, stats, settled: stats.ctimeNs < horizon });
    return { state, permissions };
  };

  return {
    reads: () => reads,
    file(node) {
      seen([node]);
      return file(node);
    },
    async scan() {
      const nodes = await walkDisk(root);
      seen(nodes);
      const files = new Map<string, DiskFile>();
      const directories = new Set<string>();
      for (const node of nodes) {
        if (node.path === undefined) throw notForTrees(node);
        if (node.kind === "directory") {
          directories.add(node.path);
          continue;
        }
        const found = await file(node);
        if (found !== undefined) files.set(node.path, found);
      }
      for (const path of known.keys()) if (!files.has(path)) known.delete(path);
      return { files, directories };
    },
  };
};

type ReadNode = DiskFile & { readonly bytes: Uint8Array; readonly stats: BigIntStats };

const readLinkNode = async (node: DiskNode): Promise<ReadNode | undefined> => {
  try {
    const bytes = await readlink(node.location, { encoding: "buffer" });
    return { state: contentState(bytes, "120000"), permissions: 0o777, bytes, stats: node.stats };
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw diskFault(node.path ?? "", error);
  }
};

const readFileNode = async (node: DiskNode): Promise<ReadNode | undefined> => {
  try {
    // Not blocking and not followed: it may have become a pipe or a link since the walk.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const handle = await open(node.location, flags);
    try {
      const stats = await handle.stat({ bigint: true });
      if (!stats.isFile()) throw notForTrees({ ...node, kind: "other" });
      if (stats.size > maxFileSizeBytes) throw tooLarge(node, stats.size);
      const bytes = await handle.readFile();
      if (bytes.byteLength > maxFileSizeBytes) throw tooLarge(node, BigInt(bytes.byteLength));
      const state = contentState(bytes, (stats.mode & 0o100n) === 0n ? "100644" : "100755");
      return { state, permissions: Number(stats.mode & 0o777n), bytes, stats };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof ValidationError) throw error;
    if (isAbsent(error)) return undefined;
    throw diskFault(node.path ?? "", error);
  }
};

const sameStats = (a: BigIntStats, b: BigIntStats): boolean =>
  a.ino === b.ino &&
  a.dev === b.dev &&
  a.mode === b.mode &&
  a.size === b.size &&
  a.mtimeNs === b.mtimeNs &&
  a.ctimeNs === b.ctimeNs;

/** Why something on disk cannot be in a tree. */
export const notForTrees = (node: DiskNode): ValidationError => {
  const name = node.location.toString("latin1").split("/").at(-1) ?? "";
  return node.path === undefined
    ? new ValidationError({
        field: "path",
        code: "path_refused",
        message: `The workspace holds the name ${JSON.stringify(name)}, which no tree can hold (not UTF-8, or refused by the path rules); remove or rename it.`,
      })
    : new ValidationError({
        field: "path",
        code: "not_a_file",
        message: `${JSON.stringify(node.path)} in the workspace is neither a file, a symbolic link nor a directory (a pipe, a socket or a device?); remove it.`,
        details: { path: node.path },
      });
};

const tooLarge = (node: DiskNode, sizeBytes: bigint): ValidationError =>
  new ValidationError({
    field: "path",
    code: "file_too_large",
    message: `${JSON.stringify(node.path)} in the workspace has ${sizeBytes} bytes; a file may have up to ${maxFileSizeBytes}.`,
    details: { path: node.path, sizeBytes: Number(sizeBytes), limitBytes: maxFileSizeBytes },
  });
