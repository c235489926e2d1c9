import type { BaseState, VersionedContent } from "./sync-state.ts";
import type { SyncKey } from "./sync-transport.ts";

/**
 * A write that was begun. On the server, what it was to hold after it (`absent`, `content`); here, what of the server's was to
 * stand here (`pulled`), or that what the server deleted was to be gone (`removed`).
 */
export type SyncIntent =
  | { readonly kind: "absent" | "removed" }
  | ({ readonly kind: "content" } & VersionedContent)
  | ({ readonly kind: "pulled"; readonly serverId: string } & VersionedContent);

/**
 * What is known of one item: the base, and writes that were begun after it and whose outcomes were not noted. If that side holds
 * one of those, that is the base: so a killed run cannot cause a conflict that is none.
 */
export interface SyncBase {
  readonly base: BaseState;
  readonly intents: readonly SyncIntent[];
}

export interface SyncBaseChange extends SyncKey {
  readonly base: SyncBase;
}

/**
 * Bases of one server for one set of local items (`.planledger/sync.json`, by server URL). It may be lost without loss of
 * content: sides that differ are conflicts then.
 */
export interface SyncBaseStore {
  load(): Promise<readonly SyncBaseChange[]>;
  /** All of these or none, durably before it resolves; others stay as they are. */
  save(changes: readonly SyncBaseChange[]): Promise<void>;
}
