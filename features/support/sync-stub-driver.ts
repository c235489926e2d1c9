import { type KeptCopy, memoryLocalItems } from "#lib/sync/memory-local-items.ts";
import { memorySyncBaseStore } from "#lib/sync/memory-sync-base-store.ts";
import { memorySyncServer } from "#lib/sync/memory-sync-server.testkit.ts";
import type { SyncKey } from "#lib/sync/sync-transport.ts";
import type { SyncDriver, WorkingCopy } from "./sync-driver.ts";

/** The service as a model, and a working copy in memory. */
export function syncStubDriver(): SyncDriver {
  const server = memorySyncServer();
  return {
    transport: server,
    copy: workingCopyInMemory(),
    revision: async ({ revision, ...key }) => server.history(key)[revision - 1]?.item,
    async plan(planId, state) {
      const serverPlanId = "pln_01ARZ3NDEKTSV4RRFFQ69G5FAV";
      if (state !== "not_submitted") {
        const phase = state === "running" ? "running" : "completed";
        server.setPlan({ planId, serverPlanId, phase, message: phase });
      }
      return { serverPlanId, digest: "d".repeat(64), document: { decisions: [] } };
    },
    close: async () => undefined,
  };
}

type Document = Record<string, unknown>;

function workingCopyInMemory(): WorkingCopy {
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
