import type * as z from "zod/mini";
import {
  type DeliveryReply,
  deliveryListReply,
  type WebhookReply,
  webhookListReply,
  webhookReply,
  type webhookRequest,
  webhookSavedReply,
} from "../api/webhook-requests.ts";
import { checkedId } from "./checked-id.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { pages } from "./pages.ts";
import { parsedReply } from "./parsed-reply.ts";

export type SavedWebhookReply = z.output<typeof webhookSavedReply>;

/** Where the caller's tenant is told of the phases of its plans. A generated secret is told once, by `put`. */
export interface WebhooksClient {
  /**
   * Makes a webhook or changes it, and lets a disabled one go on. Where a secret is to be generated it is never sent twice: a
   * lost reply is an error; then put it again with `secret: "generate"`.
   */
  put(
    name: string,
    request: z.input<typeof webhookRequest>,
    signal?: AbortSignal,
  ): Promise<SavedWebhookReply>;
  get(name: string, signal?: AbortSignal): Promise<WebhookReply>;
  list(signal?: AbortSignal): Promise<readonly WebhookReply[]>;
  delete(name: string, signal?: AbortSignal): Promise<void>;
  /** Newest first, page by page. */
  deliveries(
    name: string,
    query?: { readonly limit?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<DeliveryReply>;
}

export function webhooksClient(transport: HttpTransport): WebhooksClient {
  const one = (name: string, ...rest: readonly string[]) =>
    path("v1", "webhooks", checkedId("webhook", name), ...rest);
  return {
    put: async (name, request, signal) =>
      parsedReply(
        webhookSavedReply,
        await transport.send({
          method: "PUT",
          path: one(name),
          body: { json: request },
          repeatable: request.secret !== undefined && request.secret !== "generate",
          signal,
        }),
        "webhook",
      ),
    get: async (name, signal) =>
      parsedReply(
        webhookReply,
        await transport.send({ method: "GET", path: one(name), repeatable: true, signal }),
        "webhook",
      ),
    list: async (signal) => {
      const request = { method: "GET", path: path("v1", "webhooks"), repeatable: true, signal } as const;
      return parsedReply(webhookListReply, await transport.send(request), "webhook list").webhooks;
    },
    delete: async (name, signal) => {
      await transport.send({ method: "DELETE", path: one(name), repeatable: true, signal });
    },
    deliveries: async function* (name, query = {}) {
      const read = async (cursor: string | undefined) =>
        parsedReply(
          deliveryListReply,
          await transport.send({
            method: "GET",
            path: one(name, "deliveries"),
            query: { cursor, limit: query.limit },
            repeatable: true,
            signal: query.signal,
          }),
          "deliveries",
        );
      for await (const page of pages(undefined, read)) yield* page.deliveries;
    },
  };
}
