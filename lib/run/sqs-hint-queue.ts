import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { translateFault } from "../table/translate-fault.ts";
import type { HintQueue } from "./run-store.ts";

/** The longest that SQS delays a message. */
const greatestDelaySeconds = 900;

/** Hints as JSON on an SQS queue. A delay is in whole seconds, rounded up, at most 900: a hint may come early, never be lost. */
export function sqsHintQueue(options: { readonly client: SQSClient; readonly queueUrl: string }): HintQueue {
  const { client, queueUrl } = options;
  return {
    async send(hint, { delaySeconds = 0 } = {}) {
      const delay = Math.min(Math.max(Math.ceil(delaySeconds), 0), greatestDelaySeconds);
      try {
        await client.send(
          new SendMessageCommand({
            QueueUrl: queueUrl,
            MessageBody: JSON.stringify(hint),
            ...(delay === 0 ? {} : { DelaySeconds: delay }),
          }),
        );
      } catch (fault) {
        throw translateFault(fault, `send a hint for run ${hint.run} of plan ${hint.planId}`);
      }
    },
  };
}
