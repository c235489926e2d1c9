import { dynamodbDeliveryStore } from "#lib/webhook/dynamodb-delivery-store.ts";
import { dynamodbWebhookStore } from "#lib/webhook/dynamodb-webhook-store.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { type Environment, readEnvironment, webhookEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { wireOutside } from "../outside.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { webhookEndpoints } from "./endpoints.ts";

/** Entry: webhooks and their deliveries. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(webhookEnvironment, environment);
  const table = { client: dynamodbClient(settings), tableName: settings.TABLE_NAME, ids: ports.ids };
  const { outbound, secrets } = wireOutside(settings, ports.clock);
  return httpFunction({
    endpoints: webhookEndpoints({
      webhooks: dynamodbWebhookStore(table),
      deliveries: dynamodbDeliveryStore(table),
      namedSecrets: secrets,
      allowedHosts: outbound.allowedHosts,
      clock: ports.clock,
      ids: ports.ids,
      secrets: ports.secrets,
    }),
    requests: wireQuotas(environment, settings, ports.clock).requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
