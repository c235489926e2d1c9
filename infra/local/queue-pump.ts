import {
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod/mini";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import type { HostedFunction } from "./lambda-host.ts";

const batchResponse = z.nullable(
  z.object({
    batchItemFailures: z.optional(z.nullable(z.array(z.object({ itemIdentifier: z.string() })))),
  }),
);

export interface QueuePump {
  /** Receives no more, and waits for the batches under way. */
  stop(): Promise<void>;
}

export interface QueuePumpOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly batchSize: number;
  readonly maximumConcurrency: number;
  readonly consumer: HostedFunction;
  readonly log: Log;
}

/** Of an event's messages: below what a function takes at once. */
const batchMaximumBytes = 5.5 * 1024 * 1024;
/** What an event says of a message beside what the queue does, at most. */
const eventOverheadBytes = 1_024;
const waitTimeSeconds = 20;
const pauseAfterFaultMs = 1000;

/**
 * What an event source does on AWS: receives batches by long polling, invokes the function with each, deletes what it did
 * not report as failed, and leaves the rest to its visibility timeout, the receive count and the dead-letter queue. A
 * function that throws has handled nothing; so has one that reports a failure of a message it was not given.
 */
export const startQueuePump = (options: QueuePumpOptions): QueuePump => {
  const stopping = new AbortController();
  const batches = new Set<Promise<void>>();

  const pump = async () => {
    while (!stopping.signal.aborted) {
      if (batches.size >= options.maximumConcurrency) {
        await Promise.race(batches);
        continue;
      }
      const messages = await receive(options, stopping.signal);
      for (const fitting of fittingBatches(messages)) {
        const batch = handleBatch(options, fitting).finally(() => batches.delete(batch));
        batches.add(batch);
      }
    }
    await Promise.all(batches);
  };
  const pumping = pump();

  return {
    async stop() {
      stopping.abort();
      await pumping;
    },
  };
};

const receive = async (options: QueuePumpOptions, signal: AbortSignal): Promise<readonly Message[]> => {
  try {
    const received = await options.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: options.queueUrl,
        MaxNumberOfMessages: options.batchSize,
        WaitTimeSeconds: waitTimeSeconds,
        MessageSystemAttributeNames: ["All"],
        MessageAttributeNames: ["All"],
      }),
      { abortSignal: signal },
    );
    return received.Messages ?? [];
  } catch (fault) {
    if (signal.aborted) return [];
    options.log.write({
      level: "warn",
      event: "queue_receive_fault",
      queue: options.queueArn,
      ...faultFields(fault),
    });
    await pause(pauseAfterFaultMs, signal);
    return [];
  }
};

/** Never rejects: whatever fails, messages that are not deleted come back. */
const handleBatch = async (options: QueuePumpOptions, messages: readonly Message[]): Promise<void> => {
  try {
    const failed = failedIds(await options.consumer.invoke(queueEvent(options, messages)), messages);
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId ?? ""));
    if (done.length === 0) return;
    const deleted = await options.sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl: options.queueUrl,
        Entries: done.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
    for (const entry of deleted.Failed ?? []) {
      options.log.write({
        level: "warn",
        event: "queue_delete_failed",
        queue: options.queueArn,
        code: entry.Code,
      });
    }
  } catch (fault) {
    options.log.write({
      level: "error",
      event: "queue_batch_failed",
      queue: options.queueArn,
      messages: messages.length,
      ...faultFields(fault),
    });
  }
};

const failedIds = (result: unknown, messages: readonly Message[]): ReadonlySet<string> => {
  const all = new Set(messages.map(({ MessageId }) => MessageId ?? ""));
  const parsed = z.safeParse(batchResponse, result);
  if (!parsed.success) return all;
  const failed = (parsed.data?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
  return failed.every((id) => all.has(id)) ? new Set(failed) : all;
};

const queueEvent = ({ queueArn }: QueuePumpOptions, messages: readonly Message[]) => ({
  Records: messages.map((message) => ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body ?? "",
    attributes: message.Attributes ?? {},
    messageAttributes: eventAttributes(message.MessageAttributes ?? {}),
    md5OfBody: message.MD5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(":")[3] ?? "",
  })),
});

/** Functions get them under other names than clients of the queue. */
const eventAttributes = (attributes: Readonly<Record<string, MessageAttributeValue>>) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        dataType: DataType,
        stringListValues: [],
        binaryListValues: [],
        ...(StringValue === undefined ? {} : { stringValue: StringValue }),
        ...(BinaryValue === undefined ? {} : { binaryValue: Buffer.from(BinaryValue).toString("base64") }),
      },
    ]),
  );

/** Batches of what fits into one invocation: a large message may be most of one. */
const fittingBatches = (messages: readonly Message[]): readonly (readonly Message[])[] => {
  const batches: Message[][] = [];
  let leftBytes = 0;
  for (const message of messages) {
    const sizeBytes = Buffer.byteLength(JSON.stringify(message)) + eventOverheadBytes;
    if (sizeBytes > leftBytes || batches.length === 0) {
      batches.push([]);
      leftBytes = batchMaximumBytes;
    }
    batches.at(-1)?.push(message);
    leftBytes -= sizeBytes;
  }
  return batches;
};

const pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, delayMs);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
