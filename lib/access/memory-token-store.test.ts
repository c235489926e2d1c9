import { memoryTokenStore } from "./memory-token-store.ts";
import { tokenStoreContract } from "./token-store.contract.ts";

tokenStoreContract("memoryTokenStore", memoryTokenStore);
