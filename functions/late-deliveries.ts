import type { DeliveryQueue } from "#lib/webhook/delivery-store.ts";
import type { AwsEnvironment } from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";

/** The queue of deliveries, whose client is loaded for the first message: deliveries that succeed send none. */
export const lateDeliveries = (environment: AwsEnvironment, queueUrl: string): DeliveryQueue => {
  const queue = loadedOnce(async () =>
    (await import("./sqs-deliveries.ts")).sqsDeliveries(environment, queueUrl),
  );
  return { send: async (message, options) => (await queue()).send(message, options) };
};
