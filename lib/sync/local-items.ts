import type { ResourceKind } from "../resource/resource-store.ts";
import type { SyncItem } from "./sync-item.ts";
import type { SyncKey } from "./sync-transport.ts";

/** One local item, without its document. */
export interface LocalEntry extends SyncKey {
  /** Where it stands, for people: a file, or a position. */
  readonly place: string;
  readonly version: string;
  readonly contentSha256: string;
  /** The id that the service gave it, as far as the item knows. */
  readonly serverId?: string | undefined;
}

/**
 * An item that cannot be synced: a broken file, a field against its rule. With its `id` where that can be told: without one,
 * nothing of its kind is taken as deleted here.
 */
export interface LocalFault {
  readonly kind: ResourceKind;
  /** Its id or name, else where it stands (file and line). */
  readonly item: string;
  readonly id?: string | undefined;
  readonly reason: string;
  readonly field?: string | undefined;
}

/** `changed`: what stands there is not what was expected; nothing was done. */
export type LocalWriteOutcome = "written" | "changed";

/**
 * The local side of a sync. Items are known by kind and id, not by where they stand. A problem of one item (the disk cannot
 * hold two ids that differ in case, the file may not be written) is a `PlanledgerError`, and the others go on; any other error
 * ends the run. Every change is atomic: an item is as before or as after.
 */
export interface LocalItems {
  /** All items of these kinds; documents are not held. Two entries of one id are both given. */
  read(kinds: readonly ResourceKind[]): Promise<{
    readonly entries: readonly LocalEntry[];
    readonly faults: readonly LocalFault[];
  }>;
  /** The item as it is now, without its server id; `undefined` when it is gone or broken by now. */
  load(key: SyncKey): Promise<{ readonly entry: LocalEntry; readonly item: SyncItem } | undefined>;
  /** Notes the server's id in the item's metadata and changes nothing else of it. */
  writeServerId(note: SyncKey & { readonly serverId: string }): Promise<LocalWriteOutcome>;
  /**
   * Writes an item with the server's id in its metadata, if its content still is `expectedSha256` (`undefined`: there is no
   * such item). What does not change in it keeps its form. `keepCopy`: the content overwritten is kept somewhere first.
   */
  write(change: {
    readonly kind: ResourceKind;
    readonly item: SyncItem;
    readonly serverId: string;
    readonly expectedSha256: string | undefined;
    readonly keepCopy: boolean;
  }): Promise<LocalWriteOutcome>;
  /** Deletes an item, if its content still is `expectedSha256`. One that is gone already is `written`. */
  remove(
    change: SyncKey & { readonly expectedSha256: string; readonly keepCopy: boolean },
  ): Promise<LocalWriteOutcome>;
}
