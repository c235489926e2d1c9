import type { SyncKey } from "./sync-transport.ts";

/** One text for a key; ids have no space. */
export const syncKeyText = ({ kind, id }: SyncKey): string => `${kind} ${id}`;
