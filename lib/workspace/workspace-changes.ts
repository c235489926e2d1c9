import { ToolError } from "../tools/tool-error.ts";
import { maxFileSizeBytes } from "../tree/file-limit.ts";
import { checkPath } from "../tree/path-rules.ts";
import { linkTargetRefusal } from "./link-target.ts";
import type { ReadRecord } from "./read-record.ts";
import { pathExists, pathNotFound, quoted, refusal, symlinkRefused } from "./refusals.ts";
import type { ToolWorkspace } from "./tool-workspace.ts";
import type { Workspace, WorkspaceNode } from "./workspace.ts";
import { type FileNode, foundNode, type WorkspaceView } from "./workspace-view.ts";

type Changes = Pick<
  ToolWorkspace,
  "writeFile" | "createFile" | "createLink" | "createDirectory" | "setMode" | "move" | "remove"
>;

/** Changing a workspace by the rules of tools; see `ToolWorkspace` for what is refused. */
export const workspaceChanges = (options: {
  readonly resource: string;
  readonly workspace: Workspace;
  readonly record: ReadRecord;
  readonly view: WorkspaceView;
  /** Why nothing may be written; absent when it may. */
  readonly readOnlyBecause: string | undefined;
}): Changes => {
  const { resource, workspace, record, view } = options;

  const checkWritable = (path: string, field = "path"): void => {
    if (path === "") {
      throw refusal("path_refused", "The root of a resource can be neither written, moved nor removed.", "");
    }
    checkPath(path, field);
    if (options.readOnlyBecause !== undefined) {
      throw new ToolError({
        code: "read_only_resource",
        message: options.readOnlyBecause,
        details: { resource, path },
      });
    }
  };

  const checkAbsent = async (path: string, field = "path"): Promise<void> => {
    const node = await view.reach(path, field);
    if (node !== undefined) throw pathExists(path, node);
  };

  const checkTarget = (path: string, target: string): void => {
    const reason = linkTargetRefusal(path, target);
    if (reason === undefined) return;
    throw new ToolError({
      code: "path_refused",
      message: `A symbolic link at ${quoted(path)} may not point to ${quoted(target)}: ${reason}.`,
      details: { path, target, reason },
    });
  };

  const putFile = (path: string, bytes: Uint8Array, mode: FileNode["mode"] | "120000"): Promise<void> => {
    if (bytes.byteLength <= maxFileSizeBytes) return workspace.write(path, { kind: "file", mode, bytes });
    throw new ToolError({
      code: "file_too_large",
      message: `${quoted(path)} would have ${bytes.byteLength} bytes; a file may have ${maxFileSizeBytes} (16 MiB).`,
      details: { path, sizeBytes: bytes.byteLength, limitBytes: maxFileSizeBytes },
    });
  };

  const putMoved = async (source: string, destination: string, node: WorkspaceNode): Promise<void> => {
    checkPath(destination, "destination");
    if (node.kind === "directory") return workspace.write(destination, { kind: "directory" });
    const bytes = await workspace.read(source);
    if (node.kind === "file") return putFile(destination, bytes, node.mode);
    // A relative target means something else in another directory: one that was fine must stay so.
    const target = Buffer.from(bytes).toString();
    if (linkTargetRefusal(source, target) === undefined) checkTarget(destination, target);
    return putFile(destination, bytes, "120000");
  };

  return {
    async writeFile(path, bytes, mode) {
      checkWritable(path);
      const node = await view.reach(path);
      if (node?.kind === "symlink") throw symlinkRefused(path, path);
      if (node?.kind === "directory") {
        throw refusal("is_a_directory", `${quoted(path)} is a directory; a file cannot replace it.`, path);
      }
      await putFile(path, bytes, mode ?? node?.mode ?? "100644");
      return node === undefined ? "created" : "replaced";
    },
    async createFile(path, bytes, mode) {
      checkWritable(path);
      await checkAbsent(path);
      await putFile(path, bytes, mode);
    },
    async createLink(path, target) {
      checkWritable(path);
      checkTarget(path, target);
      await checkAbsent(path);
      await putFile(path, Buffer.from(target), "120000");
    },
    async createDirectory(path) {
      if (path === "") return false;
      checkWritable(path);
      const node = await view.reach(path);
      if (node?.kind === "directory") return false;
      if (node !== undefined) throw pathExists(path, node);
      await workspace.write(path, { kind: "directory" });
      return true;
    },
    async setMode(path, mode) {
      checkWritable(path);
      const node = await view.file(path);
      if (node.mode !== mode) await putFile(path, await workspace.read(path), mode);
    },
    async move(source, destination) {
      checkWritable(source, "source");
      checkWritable(destination, "destination");
      const node = await view.reach(source, "source");
      if (node === undefined) throw pathNotFound(source, resource);
      if (node.kind === "directory" && destination.startsWith(`${source}/`)) {
        throw refusal(
          "path_refused",
          `${quoted(source)} cannot move to ${quoted(destination)}, which lies inside it.`,
          destination,
        );
      }
      await checkAbsent(destination, "destination");
      const below = node.kind === "directory" ? await view.walk(source) : new Map<string, WorkspaceNode>();
      for (const [from, fromNode] of [[source, node] as const, ...below]) {
        const to = destination + from.slice(source.length);
        record.node(from, foundNode(fromNode));
        record.node(to, undefined);
        await putMoved(from, to, fromNode);
      }
      await workspace.write(source, undefined);
    },
    async remove(path, removal = {}) {
      checkWritable(path);
      const node = await view.reach(path);
      if (node === undefined) throw pathNotFound(path, resource);
      if (node.kind === "directory") {
        if (removal.recursive !== true) {
          throw refusal(
            "is_a_directory",
            `${quoted(path)} is a directory; pass recursive: true to delete it with all it holds.`,
            path,
          );
        }
        for (const [child, found] of await view.walk(path)) record.node(child, foundNode(found));
      }
      await workspace.write(path, undefined);
    },
  };
};
