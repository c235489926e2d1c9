import type { DeliveryQueue } from "#lib/webhook/delivery-store.ts";
import { sqsDeliveryQueue } from "#lib/webhook/sqs-delivery-queue.ts";
import type { AwsEnvironment } from "./environment.ts";
import { sqsClient } from "./sqs-client.ts";

/** Deliveries on a queue of SQS. */
export const sqsDeliveries = (environment: AwsEnvironment, queueUrl: string): DeliveryQueue =>
  sqsDeliveryQueue({ client: sqsClient(environment), queueUrl });
