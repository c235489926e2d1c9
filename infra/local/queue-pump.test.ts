import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod/mini";
import { queueFunction } from "#functions/queue-function.ts";
import { silentLog } from "#lib/log/log.ts";
import { type Emulators, startEmulators } from "./emulators/start-emulators.ts";
import { type LambdaHandler, lambdaHost } from "./lambda-host.ts";
import { type QueuePump, startQueuePump } from "./queue-pump.ts";

let emulators: Emulators;
let sqs: SQSClient;

before(async () => {
  emulators = await startEmulators();
  sqs = new SQSClient({
    endpoint: emulators.sqsEndpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
    useQueueUrlAsEndpoint: false,
  });
});
after(async () => {
  sqs.destroy();
  await emulators.stop();
});

const createQueue = async (name: string, attributes: Record<string, string>) => {
  const { QueueUrl: url = "" } = await sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: attributes }),
  );
  const { Attributes: found } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] }),
  );
  return { url, arn: found?.QueueArn ?? "" };
};

/** A queue whose messages come back at once, with a dead-letter queue after five receives. */
const createQueues = async (name: string) => {
  const deadLetter = await createQueue(`${name}-dead`, {});
  const queue = await createQueue(name, {
    VisibilityTimeout: "1",
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: deadLetter.arn, maxReceiveCount: 5 }),
  });
  return { queue, deadLetter };
};

const pumpInto = (
  queue: { readonly url: string; readonly arn: string },
  handler: LambdaHandler,
): QueuePump => {
  let ids = 0;
  const host = lambdaHost({ clock: Date, ids: { ulid: () => String(++ids) } });
  return startQueuePump({
    sqs,
    queueUrl: queue.url,
    queueArn: queue.arn,
    batchSize: 10,
    maximumConcurrency: 2,
    consumer: host.host({ name: "consumer", timeoutSeconds: 60, memoryMegabytes: 512, handler }),
    log: silentLog,
  });
};

const sendTen = (url: string) =>
  sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: url,
      Entries: Array.from({ length: 10 }, (_, index) => ({ Id: `m${index}`, MessageBody: String(index) })),
    }),
  );

const records = z.object({
  Records: z.array(
    z.object({ body: z.string(), attributes: z.object({ ApproximateReceiveCount: z.string() }) }),
  ),
});

/** Resolves when `count` was called `times` times. */
const counter = (times: number) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  return {
    promise,
    count() {
      count += 1;
      if (count >= times) resolve();
    },
  };
};

test("F3: one of ten messages fails, and only that one comes back", async () => {
  const { queue } = await createQueues("f3");
  const seen = new Map<string, number>();
  const failedOnce = counter(2);
  const pump = pumpInto(
    queue,
    queueFunction({
      log: silentLog,
      async handle({ body, receiveCount }) {
        seen.set(body, (seen.get(body) ?? 0) + 1);
        if (body !== "4") return;
        failedOnce.count();
        if (receiveCount === 1) throw new Error("the first time it fails");
      },
    }),
  );
  await sendTen(queue.url);
  await failedOnce.promise;
  await pump.stop();
  assert.deepEqual(
    [...seen].sort(([one], [other]) => Number(one) - Number(other)),
    Array.from({ length: 10 }, (_, index) => [String(index), index === 4 ? 2 : 1]),
  );
});

test("a function that throws has handled nothing: the whole batch comes back, each message counted", async () => {
  const { queue } = await createQueues("throws");
  const receiveCounts: number[] = [];
  const second = counter(10);
  const pump = pumpInto(queue, async (event) => {
    const batch = z
      .parse(records, event)
      .Records.map(({ attributes }) => Number(attributes.ApproximateReceiveCount));
    receiveCounts.push(...batch);
    if (batch.includes(1)) throw new Error("crash");
    for (const _ of batch) second.count();
  });
  await sendTen(queue.url);
  await second.promise;
  await pump.stop();
  assert.deepEqual(receiveCounts.sort(), [...Array(10).fill(1), ...Array(10).fill(2)]);
});

test("a failure reported of a message that was not in the batch fails the whole batch", async () => {
  const { queue } = await createQueues("stranger");
  const twice = counter(2);
  const pump = pumpInto(queue, async (event) => {
    const [first] = z.parse(records, event).Records;
    twice.count();
    return first?.attributes.ApproximateReceiveCount === "1"
      ? { batchItemFailures: [{ itemIdentifier: "nobody" }] }
      : { batchItemFailures: [] };
  });
  await sqs.send(
    new SendMessageBatchCommand({ QueueUrl: queue.url, Entries: [{ Id: "only", MessageBody: "x" }] }),
  );
  await twice.promise;
  await pump.stop();
});

test("a message that fails five times goes to the dead-letter queue, and on to its consumer", async () => {
  const { queue, deadLetter } = await createQueues("poison");
  let attempts = 0;
  const dead = Promise.withResolvers<string>();
  const pumps = [
    pumpInto(queue, async () => {
      attempts += 1;
      throw new Error("poison");
    }),
    pumpInto(deadLetter, async (event) => {
      dead.resolve(z.parse(records, event).Records[0]?.body ?? "");
    }),
  ];
  await sqs.send(
    new SendMessageBatchCommand({ QueueUrl: queue.url, Entries: [{ Id: "only", MessageBody: "poison" }] }),
  );
  assert.equal(await dead.promise, "poison");
  await Promise.all(pumps.map((pump) => pump.stop()));
  assert.equal(attempts, 5);
});

test("a waiting pump wakes as soon as a message is there", async () => {
  const { queue } = await createQueues("wake");
  const arrived = Promise.withResolvers<number>();
  const pump = pumpInto(queue, async () => arrived.resolve(performance.now()));
  // The first receive finds the queue empty and waits, up to 20 s.
  await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: ["QueueArn"] }));
  const sentAtMs = performance.now();
  await sqs.send(
    new SendMessageBatchCommand({ QueueUrl: queue.url, Entries: [{ Id: "only", MessageBody: "x" }] }),
  );
  assert.ok((await arrived.promise) - sentAtMs < 5000);
  await pump.stop();
});

test("a message's own attributes come as Lambda has them, and its queue by its ARN", async () => {
  const { queue } = await createQueues("attributes");
  const seen: unknown[] = [];
  const pump = pumpInto(queue, async (event) => {
    seen.push(...z.parse(z.object({ Records: z.array(z.unknown()) }), event).Records);
    return null;
  });
  await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queue.url,
      Entries: [
        {
          Id: "m",
          MessageBody: "x",
          MessageAttributes: {
            attempt: { DataType: "Number", StringValue: "3" },
            bytes: { DataType: "Binary", BinaryValue: Buffer.from([0, 255]) },
          },
        },
      ],
    }),
  );
  while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await pump.stop();
  const record = z.parse(
    z.looseObject({ messageAttributes: z.record(z.string(), z.unknown()), eventSourceARN: z.string() }),
    seen[0],
  );
  const lists = { stringListValues: [], binaryListValues: [] };
  assert.deepEqual(record.messageAttributes, {
    attempt: { dataType: "Number", stringValue: "3", ...lists },
    bytes: { dataType: "Binary", binaryValue: "AP8=", ...lists },
  });
  assert.equal(record.eventSourceARN, queue.arn);
});

test("messages that are too large for one invocation together come in several", async () => {
  const { queue } = await createQueues("large");
  // As text in JSON twice as long.
  const body = '"'.repeat(1_000_000);
  for (let index = 0; index < 4; index += 1) {
    await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: body }));
  }
  const batches: number[] = [];
  const pump = pumpInto(queue, async (event) => {
    const parsed = records.parse(event).Records;
    for (const { attributes } of parsed) assert.equal(attributes.ApproximateReceiveCount, "1");
    batches.push(parsed.length);
    return null;
  });
  const taken = () => batches.reduce((sum, count) => sum + count, 0);
  for (const untilMs = performance.now() + 20_000; taken() < 4 && performance.now() < untilMs; ) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await pump.stop();
  assert.equal(taken(), 4);
});
