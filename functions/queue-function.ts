import middy from "@middy/core";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import { inInvocation, traceHeaderOf } from "./invocation.ts";

/** What is read of an SQS record. */
const queueRecord = z.object({
  messageId: z.string(),
  body: z.string(),
  attributes: z.object({
    ApproximateReceiveCount: z.pipe(z.string(), z.transform(Number)),
    SentTimestamp: z.optional(z.pipe(z.string(), z.transform(Number))),
    AWSTraceHeader: z.optional(z.string()),
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
  /** When it was sent; absent where the queue does not say. */
  readonly sentAtEpochMs?: number | undefined;
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
      const failures = await Promise.all(
        records.map((record) => {
          const { messageId, body, attributes } = record;
          const { ApproximateReceiveCount: receiveCount, SentTimestamp: sentAtEpochMs } = attributes;
          const invocation = {
            requestId: context.awsRequestId,
            traceHeader: traceHeaderOf(
              record.messageAttributes?.traceHeader?.stringValue,
              attributes.AWSTraceHeader,
            ),
          };
          const remainingMs = () => context.getRemainingTimeInMillis();
          return inInvocation(invocation, async () => {
            try {
              await options.handle({
                messageId,
                body,
                receiveCount,
                sentAtEpochMs,
                queueName: record.eventSourceARN?.split(":").at(-1),
                attributes: ownAttributes(record.messageAttributes),
                remainingMs,
              });
              return [];
            } catch (fault) {
              options.log.write({
                level: "error",
                event: "message_fault",
                messageId,
                receiveCount,
                metrics: { messageFaults: 1 },
                ...faultFields(fault),
              });
              return [{ itemIdentifier: messageId }];
            }
          });
        }),
      );
      return { batchItemFailures: failures.flat() };
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
