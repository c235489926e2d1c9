import { checkPath } from "../tree/path-rules.ts";
import { ancestorsOf } from "./ancestors.ts";
import type { FoundNode } from "./read-digest.ts";
import type { ReadRecord } from "./read-record.ts";
import { belowFile, pathNotFound, quoted, refusal, symlinkRefused } from "./refusals.ts";
import type { Workspace, WorkspaceName, WorkspaceNode } from "./workspace.ts";

export type FileNode = WorkspaceNode & { readonly kind: "file" };

/** Looking at a workspace by the rules of tools: paths checked, no link followed, everything looked at recorded. */
export interface WorkspaceView {
  /** Checks a path and what stands above it; the node there, or `undefined`. `""` is the root. */
  reach(path: string, field?: string): Promise<WorkspaceNode | undefined>;
  /** The file there; a refusal for anything else. */
  file(path: string): Promise<FileNode>;
  /** Names in a directory; a refusal for anything else. */
  list(path: string): Promise<readonly WorkspaceName[]>;
  /** Everything below a directory, parents before what they hold; a refusal for anything else. */
  walk(path: string): Promise<ReadonlyMap<string, WorkspaceNode>>;
}

export const workspaceView = (options: {
  readonly resource: string;
  readonly workspace: Workspace;
  readonly record: ReadRecord;
}): WorkspaceView => {
  const { resource, workspace, record } = options;

  const look = async (path: string): Promise<WorkspaceNode | undefined> => {
    const node = await workspace.lookup(path);
    record.node(path, node === undefined ? undefined : foundNode(node));
    return node;
  };

  const reach = async (path: string, field = "path"): Promise<WorkspaceNode | undefined> => {
    if (path === "") return { kind: "directory" };
    checkPath(path, field);
    const ancestors = ancestorsOf(path);
    for (const [index, ancestor] of ancestors.entries()) {
      const node = await look(ancestor);
      if (node?.kind === "symlink") throw symlinkRefused(ancestor, path);
      if (node?.kind === "file") throw belowFile(ancestor, path);
      if (node === undefined) {
        // A write would make them all: that none of them stood there must be known then.
        for (const below of [...ancestors.slice(index + 1), path]) record.node(below, undefined);
        return undefined;
      }
    }
    return look(path);
  };

  const checkDirectory = async (path: string): Promise<void> => {
    const node = await reach(path);
    if (node === undefined) throw pathNotFound(path, resource);
    if (node.kind === "symlink") throw symlinkRefused(path, path);
    if (node.kind === "file") {
      throw refusal("not_a_directory", `${quoted(path)} is a file; a directory is needed.`, path);
    }
  };

  return {
    reach,
    async file(path) {
      const node = await reach(path);
      if (node === undefined) throw pathNotFound(path, resource);
      if (node.kind === "symlink") throw symlinkRefused(path, path);
      if (node.kind === "directory") {
        throw refusal("is_a_directory", `${quoted(path)} is a directory; a file is needed.`, path);
      }
      return node;
    },
    async list(path) {
      await checkDirectory(path);
      const names = await workspace.list(path);
      record.names(path, names);
      return names;
    },
    async walk(path) {
      await checkDirectory(path);
      const nodes = new Map<string, WorkspaceNode>();
      const visit = async (directory: string): Promise<void> => {
        for (const { name, kind } of await workspace.list(directory)) {
          const child = directory === "" ? name : `${directory}/${name}`;
          const node = kind === "directory" ? { kind } : await workspace.lookup(child);
          if (node === undefined) continue;
          nodes.set(child, node);
          if (node.kind === "directory") await visit(child);
        }
      };
      await visit(path);
      record.subtree(path, new Map([...nodes].map(([child, node]) => [child, foundNode(node)])));
      return nodes;
    },
  };
};

/** A node as reads keep it. */
export const foundNode = (node: WorkspaceNode): FoundNode => {
  switch (node.kind) {
    case "directory":
      return { type: "directory" };
    case "symlink":
      return { type: "symlink", sha256: node.sha256, mode: "120000" };
    case "file":
      return { type: "file", sha256: node.sha256, mode: node.mode };
    default:
      return node satisfies never;
  }
};
