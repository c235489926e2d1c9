import { memorySourceBases } from "./memory-source-bases.ts";
import { memorySourceRunStore } from "./memory-source-run-store.ts";
import { sourceBasesContract } from "./source-bases.contract.ts";
import { sourceRunStoreContract } from "./source-run-store.contract.ts";

sourceRunStoreContract("memory", async () => memorySourceRunStore());
sourceBasesContract("memory", async () => memorySourceBases());
