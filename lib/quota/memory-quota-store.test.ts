import { memoryQuotaStore } from "./memory-quota-store.ts";
import { quotaStoreContract } from "./quota-store.contract.ts";

quotaStoreContract("memoryQuotaStore", memoryQuotaStore);
