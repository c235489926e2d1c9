import * as z from "zod/mini";
import { jsonReply } from "#lib/api/api-reply.ts";
import { decodeCursor, encodeCursor } from "#lib/api/cursor.ts";
import { type Endpoint, endpoint, parameter } from "#lib/api/endpoint.ts";
import type { DeliveryReply, WebhookReply } from "#lib/api/webhook-requests.ts";
import {
  deleteWebhook as deleteRoute,
  listDeliveries,
  listWebhooks,
  putWebhook,
  readWebhook,
} from "#lib/api/webhook-routes.ts";
import { deleteWebhook, findWebhook, saveWebhook, type WebhookPorts } from "#lib/service/webhooks.ts";
import type { Delivery, DeliveryAttempt } from "#lib/webhook/delivery.ts";
import type { DeliveryStore } from "#lib/webhook/delivery-store.ts";
import type { Webhook } from "#lib/webhook/webhook.ts";

const listing = "deliveries";

/** Webhooks of the caller's tenant, and what was delivered to them. */
export const webhookEndpoints = (
  ports: WebhookPorts & { readonly deliveries: Pick<DeliveryStore, "list"> },
): readonly Endpoint[] => [
  endpoint(listWebhooks, async ({ caller }) => {
    const { webhooks } = await ports.webhooks.read(caller.tenant);
    return jsonReply(200, { webhooks: webhooks.map(webhookReplyOf) });
  }),
  endpoint(readWebhook, async (request) =>
    jsonReply(200, webhookReplyOf(await findWebhook(ports, addressOf(request)))),
  ),
  endpoint(putWebhook, async (request) => {
    const saved = await saveWebhook(ports, { ...addressOf(request), request: request.body });
    return jsonReply(saved.created ? 201 : 200, {
      ...webhookReplyOf(saved.webhook),
      ...(saved.madeSecret === undefined ? {} : { signingSecret: saved.madeSecret }),
    });
  }),
  endpoint(deleteRoute, async (request) => {
    await deleteWebhook(ports, addressOf(request));
    return { status: 204, body: { kind: "empty" } };
  }),
  endpoint(listDeliveries, async (request) => {
    const { caller, query } = request;
    const { name } = await findWebhook(ports, addressOf(request));
    const page = await ports.deliveries.list({
      tenant: caller.tenant,
      listener: name,
      limit: query.limit ?? 20,
      ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, listing, z.string()) }),
    });
    return jsonReply(200, {
      deliveries: page.deliveries.map(deliveryReplyOf),
      ...(page.cursor === undefined ? {} : { cursor: encodeCursor(listing, page.cursor) }),
    });
  }),
];

type Named = Parameters<typeof parameter>[0] & {
  readonly caller: Parameters<typeof findWebhook>[1]["caller"];
};

const addressOf = (request: Named) => ({ caller: request.caller, name: parameter(request, "name") });

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

const webhookReplyOf = (webhook: Webhook): WebhookReply => {
  const { name, url, phases, secret, disabled, failingSinceEpochMs, createdAtEpochMs, createdBy } = webhook;
  return {
    name,
    url,
    phases: [...phases],
    secret: secret.kind === "named" ? `secret:${secret.name}` : "generated",
    state: disabled === undefined ? "active" : "disabled",
    ...(disabled === undefined ? {} : { reason: disabled.reason, disabledAt: iso(disabled.atEpochMs) }),
    ...(failingSinceEpochMs === undefined ? {} : { failingSince: iso(failingSinceEpochMs) }),
    createdAt: iso(createdAtEpochMs),
    createdBy,
  };
};

const deliveryReplyOf = (delivery: Delivery): DeliveryReply => {
  const { messageId, planId, run, phase, sequence, atEpochSeconds, state, attempts } = delivery;
  return {
    id: messageId,
    planId,
    run,
    phase,
    sequence,
    at: iso(atEpochSeconds * 1000),
    state: state.kind,
    ...(state.kind === "dropped" ? { reason: state.reason } : {}),
    ...(state.kind === "pending" ? { nextAttemptAt: iso(state.dueAtEpochMs) } : {}),
    attempts: attempts.map(attemptReplyOf),
  };
};

const attemptReplyOf = ({
  atEpochMs,
  durationMs,
  outcome,
}: DeliveryAttempt): DeliveryReply["attempts"][number] => ({
  at: iso(atEpochMs),
  durationMs,
  ...(outcome.kind === "answered"
    ? { status: outcome.status }
    : { error: { code: outcome.code, message: outcome.message } }),
});
