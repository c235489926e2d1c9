import { memoryResourceStore } from "./memory-resource-store.ts";
import { resourceStoreContract } from "./resource-store.contract.ts";

resourceStoreContract("memoryResourceStore", memoryResourceStore);
