import type { PutPhaseEvent } from "#lib/webhook/deliver-phase.ts";
import { dynamodbDeliveryStore } from "#lib/webhook/dynamodb-delivery-store.ts";
import { dynamodbWebhookStore } from "#lib/webhook/dynamodb-webhook-store.ts";
import { postWebhook } from "#lib/webhook/post-webhook.ts";
import { dynamodbClient } from "../aws-clients.ts";
import {
  type AwsEnvironment,
  deliverEnvironment,
  type Environment,
  readEnvironment,
} from "../environment.ts";
import { lateDeliveries } from "../late-deliveries.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { loadedOnce } from "../loaded-once.ts";
import { wireOutside } from "../outside.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { deliverOnMessage } from "./on-message.ts";

/** Entry: the consumer of the deliveries queue. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const settings = readEnvironment(deliverEnvironment, environment);
  const table = { client: dynamodbClient(settings), tableName: settings.TABLE_NAME, ids: ports.ids };
  const { outbound, secrets } = wireOutside(settings, ports.clock);
  const deliverPorts = {
    webhooks: dynamodbWebhookStore(table),
    deliveries: dynamodbDeliveryStore(table),
    queue: lateDeliveries(settings, settings.DELIVERIES_QUEUE_URL),
    post: postWebhook(outbound),
    putEvent: settings.EVENT_BUS === "none" ? undefined : eventsOf(settings, settings.EVENT_BUS),
    secrets,
    clock: ports.clock,
    random: ports.random,
  };
  return queueFunction({
    log: ports.log,
    handle: deliverOnMessage(deliverPorts, ports.log),
  });
};

/** The client of EventBridge is loaded for the first event. */
const eventsOf = (environment: AwsEnvironment, busName: string): PutPhaseEvent => {
  const events = loadedOnce(async () =>
    (await import("../eventbridge-events.ts")).eventbridgeEvents(environment, busName),
  );
  return async (event) => (await events())(event);
};

export const handler = lazyHandler(() => createHandler(process.env));
