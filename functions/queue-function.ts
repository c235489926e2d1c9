import middy from "@middy/core";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";

/** What is read of an SQS record. */
const queueRecord = z.object({
  messageId: z.string(),
  body: z.string(),
  attributes: z.object({
    ApproximateReceiveCount: z.pipe(z.string(), z.transform(Number)),
  }),
  messageAttributes: z.optional(z.record(z.string(), z.object({ stringValue: z.optional(z.string()) }))),
  eventSourceARN: z.optional(z.string()),
});
const queueEvent = z.object({ Records: z.array(queueRecord) });

/** One message of a batch, and how long the whole batch may still take. */
export interface QueueMessage {
  readonly messageId: string;
  readonly body: string;
  readonly receiveCount: number;
  /** The last part of its queue's ARN; absent where the event does not say. */
  readonly queueName?: string | undefined;
  /** The message's own attributes, those that are no text as empty ones. */
  readonly attributes?: Readonly<Record<string, string>>;
  remainingMs(): number;
}

export interface QueueResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}
export type QueueHandler = (event: unknown, context: Context) => Promise<QueueResult>;

/**
 * The handler of a function on a queue. Messages of a batch are handled side by side, each for itself: what throws is
 * reported as that message's failure and comes back alone (F3). Nothing is kept from one invocation to the next (F4).
 */
export const queueFunction = (options: {
  readonly log: Log;
  readonly handle: (message: QueueMessage) => Promise<void>;
}): QueueHandler => {
  const handler = middy<unknown, QueueResult>(
    async (event: unknown, context: Context) => {
      const { Records: records } = z.parse(queueEvent, event);
      const outcomes = await Promise.allSettled(
        records.map((record) =>
          options.handle({
            messageId: record.messageId,
            body: record.body,
            receiveCount: record.attributes.ApproximateReceiveCount,
            queueName: record.eventSourceARN?.split(":").at(-1),
            attributes: ownAttributes(record.messageAttributes),
            remainingMs: () => context.getRemainingTimeInMillis(),
          }),
        ),
      );
      const batchItemFailures: { itemIdentifier: string }[] = [];
      for (const [index, outcome] of outcomes.entries()) {
        const record = records[index];
        if (outcome.status === "fulfilled" || record === undefined) continue;
        batchItemFailures.push({ itemIdentifier: record.messageId });
        options.log.write({
          level: "error",
          event: "message_fault",
          requestId: context.awsRequestId,
          messageId: record.messageId,
          receiveCount: record.attributes.ApproximateReceiveCount,
          ...faultFields(outcome.reason),
        });
      }
      return { batchItemFailures };
    },
    // The folder watches the clock itself and returns early; a hard stop would only hide where it stood.
    { timeoutEarlyInMillis: 0 },
  );
  return async (event, context) => handler(event, context);
};

const ownAttributes = (
  given: z.output<typeof queueRecord>["messageAttributes"] = {},
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(given).map(([name, { stringValue = "" }]) => [name, stringValue]));
