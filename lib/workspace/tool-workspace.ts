import { InfrastructureError } from "../errors/planledger-error.ts";
import { ToolError } from "../tools/tool-error.ts";
import type { ReadRecord } from "./read-record.ts";
import { pathNotFound, quoted, refusal } from "./refusals.ts";
import type { Workspace, WorkspaceName, WorkspaceNode } from "./workspace.ts";
import { workspaceChanges } from "./workspace-changes.ts";
import { type FileNode, workspaceView } from "./workspace-view.ts";

/**
 * A resource as tools see it. Every path is checked (`path_refused`), no symbolic link is followed (`symlink_refused` for
 * one among the parents, or where a file is read or written through it; `info`, `readLink`, `move` and `remove` work on the
 * link itself), a file among the parents is `not_a_directory`, a file above 16 MiB `file_too_large`, and a change to a
 * resource that the plan reads only `read_only_resource`. Writes create their parents. Operations run one after another, and
 * none once the call is over. `""` is the root wherever a directory may be named. What is looked at is recorded as read.
 */
export interface ToolWorkspace {
  /** The resource's own name. */
  readonly resource: string;
  readonly access: "read" | "write";
  /** What stands at a path, links not followed; `undefined` for nothing. */
  info(path: string): Promise<WorkspaceNode | undefined>;
  /** Names directly in a directory, in byte order. */
  list(path: string): Promise<readonly WorkspaceName[]>;
  /** Everything below a directory, parents before what they hold, in byte order of the names at each level. */
  walk(path: string): Promise<ReadonlyMap<string, WorkspaceNode>>;
  readFile(path: string): Promise<{ readonly bytes: Uint8Array; readonly node: FileNode }>;
  /** Target of a symbolic link, as stored. */
  readLink(path: string): Promise<Uint8Array>;
  /** Creates a file or replaces its content. Without a mode a file keeps its own, and a new one gets 100644. */
  writeFile(path: string, bytes: Uint8Array, mode?: FileNode["mode"]): Promise<"created" | "replaced">;
  /** As `writeFile`, but `path_exists` when anything stands there. */
  createFile(path: string, bytes: Uint8Array, mode: FileNode["mode"]): Promise<void>;
  createLink(path: string, target: string): Promise<void>;
  /** `true` when it was not there before. */
  createDirectory(path: string): Promise<boolean>;
  setMode(path: string, mode: FileNode["mode"]): Promise<void>;
  /** Onto anything that stands: `path_exists`. A directory moves with all it holds. */
  move(source: string, destination: string): Promise<void>;
  /** Removes a file or link, or a directory with all it holds when `recursive`. */
  remove(path: string, options?: { readonly recursive?: boolean }): Promise<void>;
}

/** The handle of one call, and how its owner ends it. */
export interface ToolWorkspaceHandle {
  readonly workspace: ToolWorkspace;
  /** Waits for the operation under way; later ones are refused. Answers the fault of a store, if one came up. */
  close(): Promise<{ readonly fault?: InfrastructureError }>;
}

export const toolWorkspace = (options: {
  readonly resource: string;
  readonly access: "read" | "write";
  readonly workspace: Workspace;
  readonly record: ReadRecord;
  /** Why this call may write nowhere, whatever the access; the message of the refusal. */
  readonly readOnlyBecause?: string;
}): ToolWorkspaceHandle => {
  const { resource, access, workspace, record } = options;
  const readOnlyBecause =
    options.readOnlyBecause ??
    (access === "write" ? undefined : `The plan binds the resource ${quoted(resource)} for reading only.`);
  const view = workspaceView({ resource, workspace, record });
  const changes = workspaceChanges({ resource, workspace, record, view, readOnlyBecause });
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  let fault: InfrastructureError | undefined;

  /** One operation after another, so that what an operation checked still holds when it writes. */
  const inTurn = <T>(operation: () => Promise<T>): Promise<T> => {
    const result = last.then(async () => {
      if (closed) throw callIsOver();
      try {
        return await operation();
      } catch (error) {
        if (error instanceof InfrastructureError) fault ??= error;
        throw error;
      }
    });
    last = result.catch(() => undefined);
    return result;
  };

  return {
    workspace: {
      resource,
      access: readOnlyBecause === undefined ? "write" : "read",
      info: (path) => inTurn(() => view.reach(path)),
      list: (path) => inTurn(() => view.list(path)),
      walk: (path) => inTurn(() => view.walk(path)),
      readFile: (path) =>
        inTurn(async () => ({ node: await view.file(path), bytes: await workspace.read(path) })),
      readLink: (path) => inTurn(() => readLink(path)),
      writeFile: (path, bytes, mode) => inTurn(() => changes.writeFile(path, bytes, mode)),
      createFile: (path, bytes, mode) => inTurn(() => changes.createFile(path, bytes, mode)),
      createLink: (path, target) => inTurn(() => changes.createLink(path, target)),
      createDirectory: (path) => inTurn(() => changes.createDirectory(path)),
      setMode: (path, mode) => inTurn(() => changes.setMode(path, mode)),
      move: (source, destination) => inTurn(() => changes.move(source, destination)),
      remove: (path, removal) => inTurn(() => changes.remove(path, removal)),
    },
    async close() {
      closed = true;
      await last;
      return fault === undefined ? {} : { fault };
    },
  };

  async function readLink(path: string): Promise<Uint8Array> {
    const node = await view.reach(path);
    if (node === undefined) throw pathNotFound(path, resource);
    if (node.kind !== "symlink") throw refusal("not_a_file", `${quoted(path)} is no symbolic link.`, path);
    return workspace.read(path);
  }
};

/** Whatever a tool asks for after its call. */
export const callIsOver = (): ToolError =>
  new ToolError({
    code: "tool_failed",
    message: "The call is over: its time limit has passed, or the tool did not wait for its own work.",
  });
