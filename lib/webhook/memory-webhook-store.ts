import { isListening, noWebhooks, type WebhookList } from "./webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** Webhooks in this process's memory, for tests. */
export const memoryWebhookStore = (): WebhookStore => {
  const lists = new Map<string, WebhookList>();
  const read = (tenant: string): WebhookList => lists.get(tenant) ?? noWebhooks(tenant);
  return {
    read: async (tenant) => structuredClone(read(tenant)),
    listens: async (tenant) => read(tenant).webhooks.some(isListening),
    async write(next) {
      if (read(next.tenant).revision !== next.revision - 1) return false;
      lists.set(next.tenant, structuredClone(next));
      return true;
    },
  };
};
