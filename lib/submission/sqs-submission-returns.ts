import { type MessageAttributeValue, SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { translateFault } from "../table/translate-fault.ts";
import type { SubmissionQueues } from "./submission-queues.ts";
import type { ReturnedMessage, SubmissionReturns } from "./submission-returns.ts";

/** Of a message with its attributes. */
const messageMaximumBytes = 1024 * 1024;
/** More than the attributes below ever take. */
const attributesMaximumBytes = 4_096;
const reasonMaximumCharacters = 900;

/**
 * Messages that were not taken, on SQS. The body goes as it came; what is to be known beside it stands in attributes: `attempt`
 * of what comes again; `refusalCode`, `refusalReason` and `refusedMessageId` of a dead letter.
 */
export const sqsSubmissionReturns = (options: {
  readonly client: SQSClient;
  readonly queues: SubmissionQueues;
}): SubmissionReturns => {
  const { client, queues } = options;
  const send = async (
    queueUrl: string | undefined,
    { queue, body }: ReturnedMessage,
    sent: {
      readonly attributes: Readonly<Record<string, MessageAttributeValue>>;
      readonly delaySeconds?: number;
    },
  ): Promise<boolean> => {
    if (queueUrl === undefined || Buffer.byteLength(body) + attributesMaximumBytes > messageMaximumBytes) {
      return false;
    }
    try {
      await client.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: body,
          MessageAttributes: { ...sent.attributes },
          ...(sent.delaySeconds === undefined ? {} : { DelaySeconds: sent.delaySeconds }),
        }),
      );
      return true;
    } catch (fault) {
      throw translateFault(fault, `send a message of ${queue} on its way`);
    }
  };
  return {
    later: (message, { attempt, delaySeconds }) =>
      send(queues[message.queue]?.queueUrl, message, {
        attributes: { attempt: { DataType: "Number", StringValue: String(attempt) } },
        delaySeconds,
      }),
    refuse: (message, { code, message: reason }) =>
      send(queues[message.queue]?.deadLetterUrl, message, {
        attributes: {
          refusalCode: { DataType: "String", StringValue: code },
          refusalReason: { DataType: "String", StringValue: sendable(reason) },
          refusedMessageId: { DataType: "String", StringValue: message.messageId },
        },
      }),
  };
};

/** What an attribute can carry: characters of XML 1.0, and not too many. A reason may quote what was sent. */
const sendable = (text: string): string =>
  text
    .toWellFormed()
    .slice(0, reasonMaximumCharacters)
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd") || "unknown";
