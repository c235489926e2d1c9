import { deliveryStoreContract } from "./delivery-store.contract.ts";
import { memoryDeliveryStore } from "./memory-delivery-store.ts";
import { memoryWebhookStore } from "./memory-webhook-store.ts";
import { webhookStoreContract } from "./webhook-store.contract.ts";

webhookStoreContract("in memory", async () => memoryWebhookStore());
deliveryStoreContract("in memory", async () => memoryDeliveryStore());
