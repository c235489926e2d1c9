import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { translateFault } from "../table/translate-fault.ts";
import type { DeliveryQueue } from "./delivery-store.ts";

/** Messages as JSON on an SQS queue; delays in whole seconds up to 900. */
export const sqsDeliveryQueue = (options: {
  readonly client: SQSClient;
  readonly queueUrl: string;
}): DeliveryQueue => ({
  async send(message, { delaySeconds = 0 } = {}) {
    try {
      await options.client.send(
        new SendMessageCommand({
          QueueUrl: options.queueUrl,
          MessageBody: JSON.stringify(message),
          ...(delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
        }),
      );
    } catch (fault) {
      throw translateFault(fault, `send a delivery to ${message.listener} on its way`);
    }
  },
});
