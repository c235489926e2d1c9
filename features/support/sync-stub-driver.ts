import { memorySyncServer } from "#lib/sync/memory-sync-server.testkit.ts";
import type { SyncDriver } from "./sync-driver.ts";
import { workingCopyInMemory } from "./working-copy-in-memory.ts";

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
      return { planId, serverPlanId, digest: "d".repeat(64), document: { decisions: [] } };
    },
    close: async () => undefined,
  };
}
