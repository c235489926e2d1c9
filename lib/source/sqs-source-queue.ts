import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { translateFault } from "../table/translate-fault.ts";
import { type SourceQueue, sourceMessage } from "./source-message.ts";

export function sqsSourceQueue(options: {
  readonly client: SQSClient;
  readonly queueUrl: string;
}): SourceQueue {
  return {
    async send(source) {
      try {
        await options.client.send(
          new SendMessageCommand({ QueueUrl: options.queueUrl, MessageBody: sourceMessage(source) }),
        );
      } catch (fault) {
        throw translateFault(fault, `send word of the sync source ${source.name}`);
      }
    },
  };
}
