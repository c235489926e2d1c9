import type { SyncBaseChange, SyncBaseStore } from "./sync-base-store.ts";
import { syncKeyText } from "./sync-key-text.ts";

/** Bases in this process's memory: they last as long as the client that holds them. */
export function memorySyncBaseStore(): SyncBaseStore {
  const bases = new Map<string, SyncBaseChange>();
  return {
    load: async () => [...bases.values()],
    save: async (changes) => {
      for (const change of changes) bases.set(syncKeyText(change), structuredClone(change));
    },
  };
}
