import type { TreeDifference } from "../tree/tree-difference.ts";

export type { TreeDifference };

/**
 * A workspace's state at one moment. Snapshots stay valid while the workspace goes on. `changesSince` lists what differs
 * from an earlier snapshot of the same workspace, in byte order of the paths. Empty directories do not count.
 */
export interface WorkspaceSnapshot {
  changesSince(earlier: WorkspaceSnapshot): Promise<readonly TreeDifference[]>;
  /** Bytes of a file of this snapshot by hash, for as long as the run lasts. */
  content(sha256: string): Promise<Uint8Array>;
  /** What `git write-tree` prints for the same content, without filters. */
  gitTreeId(): Promise<string>;
  /** Brings the workspace back to this state, as if nothing had been written since (a failed decision leaves nothing). */
  restore(): Promise<void>;
}
