import { noQuery, pageQuery } from "./page-query.ts";
import { json, jsonBody, noBody, route } from "./route.ts";
import {
  deliveryListReply,
  webhookListReply,
  webhookReply,
  webhookRequest,
  webhookSavedReply,
} from "./webhook-requests.ts";

const webhookPath = "/v1/webhooks/{name}";

export const listWebhooks = route({
  id: "webhooks.list",
  method: "GET",
  path: "/v1/webhooks",
  scope: "webhooks:write",
  summary: "Webhooks of this tenant by name, without their secrets.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("All of them.", webhookListReply) },
});
export const readWebhook = route({
  id: "webhooks.get",
  method: "GET",
  path: webhookPath,
  scope: "webhooks:write",
  summary: "A webhook, whether it is disabled, and why.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The webhook.", webhookReply) },
});
export const putWebhook = route({
  id: "webhooks.put",
  method: "PUT",
  path: webhookPath,
  scope: "webhooks:write",
  summary:
    "Be told of the phases of plans at an https URL, by signed messages (Standard Webhooks). A generated secret is told only here; a webhook that was disabled goes on.",
  query: noQuery,
  body: jsonBody(webhookRequest, { maximumBytes: 16 * 1024 }),
  replies: {
    200: json("The webhook as it stands now.", webhookSavedReply),
    201: json("The webhook, which is new.", webhookSavedReply),
  },
});
export const deleteWebhook = route({
  id: "webhooks.delete",
  method: "DELETE",
  path: webhookPath,
  scope: "webhooks:write",
  summary: "Be told no more. What is on its way is dropped.",
  query: noQuery,
  body: noBody,
  replies: { 204: { kind: "empty", description: "Deleted." } },
});
export const listDeliveries = route({
  id: "webhooks.deliveries",
  method: "GET",
  path: `${webhookPath}/deliveries`,
  scope: "webhooks:write",
  summary: "Deliveries to a webhook, newest first, with every attempt at them.",
  query: pageQuery(100),
  body: noBody,
  replies: { 200: json("A page of deliveries.", deliveryListReply) },
});
