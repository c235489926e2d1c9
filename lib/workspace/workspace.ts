import type { FileMode } from "../tree/file-state.ts";
import type { WorkspaceSnapshot } from "./workspace-snapshot.ts";

/** What stands at a path. A path below a file or a symbolic link is absent (`undefined`): links are never followed. */
export type WorkspaceNode =
  | {
      readonly kind: "file";
      readonly mode: "100644" | "100755";
      readonly sizeBytes: number;
      readonly sha256: string;
    }
  | { readonly kind: "symlink"; readonly sizeBytes: number; readonly sha256: string }
  | { readonly kind: "directory" };

/** What a write puts at a path; a symbolic link's bytes are its target. */
export type WorkspaceWrite =
  | { readonly kind: "file"; readonly mode: FileMode; readonly bytes: Uint8Array }
  | { readonly kind: "directory" };

export interface WorkspaceName {
  readonly name: string;
  readonly kind: "file" | "symlink" | "directory";
}

/**
 * A file tree that tools read and write: a base tree plus what was written. Paths are relative, `/`-separated, valid
 * (see `path-rules.ts`), `""` is the root. The port is mechanical: rules about links, refusals, parents, limits and the
 * record of reads stand above it, in `ToolWorkspace`. It knows no tool and no plan.
 */
export interface Workspace {
  lookup(path: string): Promise<WorkspaceNode | undefined>;
  /** Names directly in a directory, in byte order; `[]` when there is no such directory. */
  list(path: string): Promise<readonly WorkspaceName[]>;
  /** Bytes of a file, or the target of a link. Throws `NotFoundError` where there is neither. */
  read(path: string): Promise<Uint8Array>;
  /** Puts something at a path, parents created, whatever file or link stood there replaced; `undefined` removes what is there, a directory with all it holds. */
  write(path: string, value: WorkspaceWrite | undefined): Promise<void>;
  /** The state of the tree now, cheap to take and to compare. */
  snapshot(): Promise<WorkspaceSnapshot>;
  /** Ends a decision: directories made since the last call that hold nothing go. */
  settle(): Promise<void>;
}
