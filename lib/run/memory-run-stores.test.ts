import { externalResultStoreContract } from "./external-result-store.contract.ts";
import { frontierStoreContract } from "./frontier-store.contract.ts";
import { memoryExternalResultStore } from "./memory-external-result-store.ts";
import { memoryFrontierStore } from "./memory-frontier-store.ts";
import { memoryStepItemStore } from "./memory-step-item-store.ts";
import { openRunsContract } from "./open-runs.contract.ts";
import { stepItemStoreContract } from "./step-item-store.contract.ts";

frontierStoreContract("frontiers in memory", async () => memoryFrontierStore());
openRunsContract("open runs in memory", {
  async open() {
    const frontiers = memoryFrontierStore();
    return { frontiers, openRuns: frontiers };
  },
});
stepItemStoreContract("steps in memory", async () => memoryStepItemStore());
externalResultStoreContract("external results in memory", async () => memoryExternalResultStore());
