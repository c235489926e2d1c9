import { type KeptCopy, memoryLocalItems } from "#lib/sync/memory-local-items.ts";
import { memorySyncBaseStore } from "#lib/sync/memory-sync-base-store.ts";
import type { SyncKey } from "#lib/sync/sync-transport.ts";
import type { WorkingCopy } from "./sync-driver.ts";

type Document = Record<string, unknown>;

/** Local items that are plain objects of this process. */
export function workingCopyInMemory(): WorkingCopy {
  const items: Record<SyncKey["kind"], Document[]> = { actions: [], skills: [], tools: [], projects: [] };
  const copies: KeptCopy[] = [];
  const at = ({ kind, id }: SyncKey) => items[kind].findIndex((document) => document.id === id);
  return {
    local: memoryLocalItems(items, copies),
    bases: memorySyncBaseStore(),
    async add(kind, document) {
      items[kind].push(structuredClone(document));
    },
    async edit(key, members) {
      Object.assign(items[key.kind][at(key)] ?? {}, members);
    },
    async remove(key) {
      items[key.kind].splice(at(key), 1);
    },
    kept: async () => copies.map(({ item }) => item),
    picture: async () => JSON.stringify(items),
  };
}
