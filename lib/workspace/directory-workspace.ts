import { lstat, mkdir, realpath, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import type { ContentStore } from "../content/content-store.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import { byteOrder } from "../tree/byte-order.ts";
import { ancestorsOf } from "./ancestors.ts";
import { directorySnapshots } from "./directory-snapshots.ts";
import { diskFault, isAbsent } from "./disk-error.ts";
import { type DiskFile, type DiskIndex, diskIndex, notForTrees } from "./disk-index.ts";
import { type DiskNode, nodeAtPath, nodesIn, walkDisk } from "./disk-walk.ts";
import { diskWriter, unfinishedName } from "./disk-write.ts";
import { storedContent } from "./stored-content.ts";
import type { Workspace, WorkspaceName } from "./workspace.ts";
import { blockedWrite } from "./write-blocked.ts";

/**
 * A real directory on disk as a workspace, the one that a context's `sandboxRoot` names. Snapshots look at the directory
 * itself, so that whatever a tool did to it by any means is seen; the content of every file is put into the content store
 * (in memory unless given), where capture and restore find it. `.git` is left out and left alone, and so are directories
 * that were empty when the workspace was first used. What a tree cannot hold (a pipe, a socket, a name that is not UTF-8, a
 * file above 16 MiB) is a `ValidationError`. One process at a time works in it.
 */
export const directoryWorkspace = (options: {
  readonly root: string;
  readonly content?: ContentStore;
}): Workspace => {
  const content = options.content ?? memoryContentStore();
  let opening: Promise<OpenDirectory> | undefined;
  const opened = (): Promise<OpenDirectory> => {
    opening ??= openDirectory(options.root, content);
    return opening;
  };

  const nodeAt = async (path: string): Promise<DiskNode | undefined> => {
    const { root } = await opened();
    for (const above of ancestorsOf(path)) {
      if ((await nodeAtPath(root, above))?.kind !== "directory") return undefined;
    }
    return nodeAtPath(root, path);
  };

  const fileAt = async (path: string): Promise<DiskFile | undefined> => {
    const node = await nodeAt(path);
    return node === undefined || node.kind === "directory" ? undefined : (await opened()).index.file(node);
  };

  return {
    async lookup(path) {
      const node = await nodeAt(path);
      if (node?.kind === "directory") return { kind: "directory" };
      const state = node && (await (await opened()).index.file(node))?.state;
      if (state === undefined) return undefined;
      const { mode, sizeBytes, sha256 } = state;
      return mode === "120000"
        ? { kind: "symlink", sizeBytes, sha256 }
        : { kind: "file", mode, sizeBytes, sha256 };
    },
    async list(path) {
      const directory = await nodeAt(path);
      if (directory?.kind !== "directory") return [];
      const nodes = await nodesIn(directory.location, path === "" ? "" : `${path}/`);
      return nodes
        .map((node) => ({ name: node.path?.split("/").at(-1) ?? "", kind: treeKind(node) }))
        .sort((a, b) => byteOrder(a.name, b.name));
    },
    async read(path) {
      const file = await fileAt(path);
      if (file === undefined) {
        throw new NotFoundError({ code: "path_not_found", message: `There is no file at ${path}.` });
      }
      return storedContent(content, file.state.sha256);
    },
    async write(path, value) {
      const { root, write } = await opened();
      if (value === undefined) {
        const node = await nodeAt(path);
        if (node !== undefined) await rm(node.location, { recursive: true }).catch(failed(path));
        return;
      }
      const blocked = await blockedWrite(path, value, async (at) => {
        const node = await nodeAt(at);
        return node && treeKind(node);
      });
      if (blocked !== undefined) throw blocked;
      if (value.kind === "directory") {
        await mkdir(join(root, path), { recursive: true }).catch(failed(path));
        return;
      }
      const before = await fileAt(path);
      const kept = before !== undefined && before.state.mode === value.mode ? before.permissions : undefined;
      await write.put(path, {
        bytes: value.bytes,
        kind: value.mode === "120000" ? "symlink" : "file",
        permissions: kept ?? (value.mode === "100755" ? 0o755 : 0o644),
      });
    },
    async snapshot() {
      const directory = await opened();
      return directory.snapshots.take();
    },
    async settle() {
      const { root, emptyAtFirst } = await opened();
      const nodes = await walkDisk(root);
      const standing = new Set<string>(emptyAtFirst);
      for (const { path, kind } of nodes) {
        if (path === undefined || (kind === "directory" && !emptyAtFirst.has(path))) continue;
        for (const above of ancestorsOf(path)) standing.add(above);
      }
      const empty = nodes.filter(
        ({ path, kind }) => kind === "directory" && path !== undefined && !standing.has(path),
      );
      for (const node of empty.reverse()) await rmdir(node.location).catch(failed(node.path ?? ""));
    },
  };
};

/** What a node is in a tree. Throws for what no tree can hold. */
const treeKind = (node: DiskNode): WorkspaceName["kind"] => {
  if (node.path === undefined || node.kind === "other") throw notForTrees(node);
  return node.kind;
};

const failed =
  (path: string) =>
  (error: unknown): never => {
    throw diskFault(path, error);
  };

interface OpenDirectory {
  readonly root: string;
  readonly index: DiskIndex;
  readonly write: ReturnType<typeof diskWriter>;
  readonly snapshots: ReturnType<typeof directorySnapshots>;
  /** Directories without any file below them before anything was written. */
  readonly emptyAtFirst: ReadonlySet<string>;
}

const openDirectory = async (given: string, content: ContentStore): Promise<OpenDirectory> => {
  const root = await realpath(given).catch((cause: unknown) => {
    if (!isAbsent(cause)) throw diskFault("", cause);
    throw new ValidationError({
      field: "sandboxRoot",
      message: `The workspace directory ${JSON.stringify(given)} does not exist; create it first.`,
      cause,
    });
  });
  if (!(await lstat(root)).isDirectory()) {
    throw new ValidationError({
      field: "sandboxRoot",
      message: `The workspace directory ${JSON.stringify(given)} is no directory.`,
    });
  }
  const empty = new Set<string>();
  for (const { path, kind, location } of await walkDisk(root)) {
    if (path === undefined) continue;
    const above = ancestorsOf(path);
    if (kind === "directory") empty.add(path);
    else if (unfinishedName.test(path.split("/").at(-1) ?? "")) await rm(location, { force: true });
    else for (const directory of above) empty.delete(directory);
  }
  const index = diskIndex(root, content);
  const write = diskWriter(root);
  return {
    root,
    index,
    write,
    snapshots: directorySnapshots({ root, index, write, content }),
    emptyAtFirst: empty,
  };
};
