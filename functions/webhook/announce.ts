import { dynamodbFrontierStore } from "#lib/run/dynamodb-frontier-store.ts";
import { dynamodbDeliveryStore } from "#lib/webhook/dynamodb-delivery-store.ts";
import { dynamodbWebhookStore } from "#lib/webhook/dynamodb-webhook-store.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { announceEnvironment, type Environment, readEnvironment } from "../environment.ts";
import { lateDeliveries } from "../late-deliveries.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { announceOnMessage } from "./on-message.ts";

/** Entry: the consumer of the queue of changes of phases. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const settings = readEnvironment(announceEnvironment, environment);
  const table = { client: dynamodbClient(settings), tableName: settings.TABLE_NAME, ids: ports.ids };
  const announcePorts = {
    frontiers: dynamodbFrontierStore(table),
    webhooks: dynamodbWebhookStore(table),
    deliveries: dynamodbDeliveryStore(table),
    queue: lateDeliveries(settings, settings.DELIVERIES_QUEUE_URL),
    hasBus: settings.PHASE_LISTENERS === "all",
    clock: ports.clock,
  };
  return queueFunction({
    log: ports.log,
    handle: announceOnMessage(announcePorts, ports.log),
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
