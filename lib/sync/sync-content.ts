import type { ResourceKind } from "../resource/resource-store.ts";
import type { SyncItem } from "./sync-item.ts";

/** Moves what an item refers to and does not hold: the file tree of a project. */
export interface SyncContent {
  /**
   * Called before an item is written on the server: afterwards the server has all that it refers to. Sends what is missing
   * only, and goes on where a killed run stopped. A problem of this item is a `PlanledgerError`.
   */
  send(kind: ResourceKind, item: SyncItem): Promise<{ readonly requests: number }>;
}

/** For items that refer to nothing, or to what the server has already. */
export const noSyncContent: SyncContent = { send: async () => ({ requests: 0 }) };
