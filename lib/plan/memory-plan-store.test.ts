import { memoryPlanStore } from "./memory-plan-store.ts";
import { planStoreContract } from "./plan-store.contract.ts";

planStoreContract("plans in memory", async () => memoryPlanStore());
