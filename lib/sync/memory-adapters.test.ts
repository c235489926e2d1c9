import { localItemsContract } from "./local-items.contract.ts";
import { type KeptCopy, memoryLocalItems } from "./memory-local-items.ts";
import { memorySyncBaseStore } from "./memory-sync-base-store.ts";
import { memorySyncServer } from "./memory-sync-server.testkit.ts";
import { syncBaseStoreContract } from "./sync-base-store.contract.ts";
import { syncTransportContract } from "./sync-transport.contract.ts";

syncTransportContract("the server model", () => {
  const server = memorySyncServer({ pageRows: 2 });
  return {
    transport: server,
    revision: async ({ revision, ...key }) => server.history(key)[revision - 1]?.item,
  };
});

localItemsContract("memoryLocalItems", async () => {
  const skills: unknown[] = [];
  const copies: KeptCopy[] = [];
  return {
    local: memoryLocalItems({ skills, tools: [] }, copies),
    add: async (item) => {
      skills.push(structuredClone(item));
    },
    kept: async () => copies.map(({ item }) => item),
  };
});

syncBaseStoreContract("memorySyncBaseStore", async () => {
  const store = memorySyncBaseStore();
  return { store, reopen: async () => store };
});
