import type { LocalFault } from "../sync/local-items.ts";
import type { SyncTransport } from "../sync/sync-transport.ts";
import type { Directory } from "../tree/directory.ts";

/** The files of projects as the place that has them gives them, checked against the hash that they were asked by. */
export interface TreeSource {
  directory(sha256: string): Promise<Directory>;
  content(sha256: string): Promise<Uint8Array>;
}

/** The other side of a sync source's sync: a service, or a catalogue that was read. */
export interface SourceSide {
  readonly transport: SyncTransport;
  readonly trees: TreeSource;
  /** Items there that cannot be synced, once the listing was read. Nothing is decided about them. */
  readonly faults: readonly LocalFault[];
}
