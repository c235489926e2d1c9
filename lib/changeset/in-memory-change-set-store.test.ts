import { changeSetStoreContract } from "./change-set-store.contract.ts";
import { InMemoryChangeSetStore } from "./in-memory-change-set-store.ts";

changeSetStoreContract("in memory", { open: async () => new InMemoryChangeSetStore() });
