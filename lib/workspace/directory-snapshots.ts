import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { buildTree } from "../tree/build-tree.ts";
import { byteOrder } from "../tree/byte-order.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import { diskFault } from "./disk-error.ts";
import type { DiskFile, DiskIndex, DiskScan } from "./disk-index.ts";
import { type DiskNode, walkDisk } from "./disk-walk.ts";
import type { diskWriter } from "./disk-write.ts";
import { sameFileState } from "./same-file-state.ts";
import { type ContentLookup, storedContent } from "./stored-content.ts";
import type { WorkspaceSnapshot } from "./workspace-snapshot.ts";

/** Snapshots of a directory on disk: each is what a scan found, with content kept by hash. */
export const directorySnapshots = (options: {
  readonly root: string;
  readonly index: DiskIndex;
  readonly write: ReturnType<typeof diskWriter>;
  readonly content: ContentLookup;
}): { take(): Promise<WorkspaceSnapshot> } => {
  const { root, index, write, content } = options;
  const scans = new WeakMap<WorkspaceSnapshot, DiskScan>();

  /** Removes what did not stand there then, whatever it is; answers what still does. */
  const removeOthers = async (then: DiskScan): Promise<ReadonlySet<string>> => {
    const kept = new Set<string>();
    // Children first, so that a directory is looked at when nothing but what stays is left in it.
    for (const node of [...(await walkDisk(root))].reverse()) {
      if (await standsAsThen(node, then, index)) kept.add(node.path ?? "");
      else await rm(node.location, { recursive: true, force: true }).catch(failed(node.path ?? ""));
    }
    return kept;
  };

  const restore = async (then: DiskScan): Promise<void> => {
    await mkdir(root, { recursive: true }).catch(failed(""));
    const kept = await removeOthers(then);
    for (const directory of then.directories) {
      if (!kept.has(directory))
        await mkdir(join(root, directory), { recursive: true }).catch(failed(directory));
    }
    for (const [path, { state, permissions }] of then.files) {
      if (kept.has(path)) continue;
      await write.put(path, {
        bytes: await storedContent(content, state.sha256),
        kind: state.mode === "120000" ? "symlink" : "file",
        permissions,
      });
    }
  };

  return {
    async take() {
      const scan = await index.scan();
      const snapshot: WorkspaceSnapshot = {
        async changesSince(earlier) {
          const before = scans.get(earlier);
          if (before === undefined) throw new TypeError("The snapshot is one of another workspace.");
          return differences(before.files, scan.files);
        },
        content: (sha256) => storedContent(content, sha256),
        async gitTreeId() {
          const files = [...scan.files].map(([path, { state }]) => ({ path, file: state }));
          return (await buildTree(memoryTreeStore(), files)).gitTreeId;
        },
        restore: () => restore(scan),
      };
      scans.set(snapshot, scan);
      return snapshot;
    },
  };
};

const standsAsThen = async (node: DiskNode, then: DiskScan, index: DiskIndex): Promise<boolean> => {
  if (node.path === undefined || node.kind === "other") return false;
  if (node.kind === "directory") return then.directories.has(node.path);
  const file = then.files.get(node.path);
  if (file === undefined || (node.kind === "file" && node.stats.size !== BigInt(file.state.sizeBytes))) {
    return false;
  }
  const now = await index.file(node);
  return sameFileState(now?.state, file.state) && now?.permissions === file.permissions;
};

const differences = (
  before: ReadonlyMap<string, DiskFile>,
  after: ReadonlyMap<string, DiskFile>,
): readonly TreeDifference[] => {
  const found: TreeDifference[] = [];
  for (const [path, file] of after) {
    const was = before.get(path)?.state;
    if (!sameFileState(was, file.state)) found.push({ path, before: was, after: file.state });
  }
  for (const [path, file] of before) {
    if (!after.has(path)) found.push({ path, before: file.state, after: undefined });
  }
  return found.sort((a, b) => byteOrder(a.path, b.path));
};

const failed =
  (path: string) =>
  (error: unknown): never => {
    throw diskFault(path, error);
  };
