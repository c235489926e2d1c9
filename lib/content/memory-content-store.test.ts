import { contentStoreContract } from "./content-store.contract.ts";
import { memoryContentStore } from "./memory-content-store.ts";

contentStoreContract("memoryContentStore", memoryContentStore);
