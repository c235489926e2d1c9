import { memoryTreeStore } from "./memory-tree-store.ts";
import { treeStoreContract } from "./tree-store.contract.ts";

treeStoreContract("memoryTreeStore", memoryTreeStore);
