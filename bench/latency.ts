import { parseArgs } from "node:util";
import { CreateTableCommand, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { startCountedService } from "../test/slow/counted-service.testkit.ts";
import { unitsOf } from "../test/slow/wire-units.testkit.ts";
import { type BenchService, requireLanded, startBenchService } from "./embedded.ts";
import { machine } from "./machine.ts";
import { median, quantile } from "./quantile.ts";
import { table } from "./table.ts";

/**
 * `npm run bench:latency [-- --rounds N]`: how long a plan of one decision takes from its submission to its end on the idle
 * embedded service, where that time goes, the same as a ratio to a bare put, send and receive on the same emulators by turns,
 * and what each decision adds in a chain of 100. Every outcome is checked. Goals: 25 ms and 1 ms at the median.
 */
const { values } = parseArgs({ options: { rounds: { type: "string", default: "200" } } });
const rounds = Number(values.rounds);
if (!Number.isSafeInteger(rounds) || rounds < 1)
  throw new Error("--rounds must be a whole number of at least 1");
const warmUp = Math.min(50, rounds);
const chainLength = 100;
const print = (text: string): void => void process.stdout.write(text);

const writing = (index: number, previous?: string) => ({
  id: `d${index}`,
  ...(previous === undefined ? {} : { dependsOn: [previous] }),
  toolCalls: [{ tool: "write_file", input: { path: `notes-${index % 10}.txt`, content: `note ${index}\n` } }],
});
const single = { decisions: [writing(0)] };
const chain = {
  decisions: Array.from({ length: chainLength }, (_, index) =>
    writing(index, index === 0 ? undefined : `d${index - 1}`),
  ),
};

/** Times of one plan of one decision, ms. */
interface Single {
  readonly total: number;
  readonly toHandler: number;
  readonly handler: number;
  readonly toWorker: number;
  readonly worker: number;
}

async function timeSingle(service: BenchService, planId: string): Promise<Single> {
  const from = performance.now();
  const seen = service.invocations.length;
  await service.client.executePlan({ planId, plan: single });
  const endedAt = await service.ended(planId);
  const mine = service.invocations.slice(seen);
  const submission = mine.find(({ name }) => name === "executeHttp");
  if (submission === undefined) throw new Error("no submission was seen");
  // The worker's own invocation is still about to be noted when its end is told.
  const worker = await workerOf(service, seen);
  return {
    total: endedAt - from,
    toHandler: submission.startedAt - from,
    handler: submission.endedAt - submission.startedAt,
    toWorker: worker - submission.endedAt,
    worker: endedAt - worker,
  };
}

async function workerOf(service: BenchService, seen: number): Promise<number> {
  for (;;) {
    const found = service.invocations.slice(seen).find(({ name }) => name === "executeWorker");
    if (found !== undefined) return found.startedAt;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A put, a send, and the receive that waits for it: what a submission cannot do without. */
async function bareRoundTrips(service: BenchService) {
  const settings = { region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
  const dynamodb = new DynamoDBClient({ ...settings, endpoint: service.emulators.dynamodbEndpoint });
  const sqs = new SQSClient({
    ...settings,
    endpoint: service.emulators.sqsEndpoint,
    useQueueUrlAsEndpoint: false,
  });
  await dynamodb.send(
    new CreateTableCommand({
      TableName: "bare",
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    }),
  );
  await sqs.send(new CreateQueueCommand({ QueueName: "bare" }));
  const QueueUrl = `${service.emulators.sqsEndpoint}/000000000000/bare`;
  let number = 0;
  return {
    async once(): Promise<number> {
      const receiving = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
      const from = performance.now();
      number += 1;
      await dynamodb.send(
        new PutItemCommand({
          TableName: "bare",
          Item: { pk: { S: String(number) }, b: { S: "x".repeat(300) } },
          ConditionExpression: "attribute_not_exists(pk)",
        }),
      );
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "x".repeat(80) }));
      const { Messages: [message] = [] } = await receiving;
      const took = performance.now() - from;
      if (message?.ReceiptHandle === undefined) throw new Error("nothing was received");
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
      return took;
    },
    stop() {
      dynamodb.destroy();
      sqs.destroy();
    },
  };
}

const service = await startBenchService();
try {
  const bare = await bareRoundTrips(service);
  const [singles, bares, hops]: [Single[], number[], number[]] = [[], [], []];
  for (let round = -warmUp; round < rounds; round += 1) {
    const planId = `one-${round + warmUp}`;
    const took = await timeSingle(service, planId);
    const bareTook = await bare.once();
    if (round < 0) continue;
    await requireLanded(service, { planId, decisions: 1 });
    singles.push(took);
    bares.push(bareTook);
    if (round % 5 !== 0) continue;
    const chainId = `chain-${round}`;
    const seen = service.invocations.length;
    await service.client.executePlan({ planId: chainId, plan: chain });
    const endedAt = await service.ended(chainId);
    hops.push((endedAt - (await workerOf(service, seen))) / chainLength);
    await requireLanded(service, { planId: chainId, decisions: chainLength });
  }
  bare.stop();
  const row = (name: string, times: readonly number[]): readonly string[] => [
    name,
    median(times).toFixed(2),
    quantile(times, 0.99).toFixed(2),
  ];
  const totals = singles.map(({ total }) => total);
  print(`${machine()}\n${rounds} rounds after ${warmUp} to warm up; ms\n\n`);
  print(
    table(
      ["", "p50", "p99"],
      [
        row("submit to completed, one decision (goal 25)", totals),
        row(
          "  to the submission's handler: gateway, authorizer",
          singles.map(({ toHandler }) => toHandler),
        ),
        row(
          "  the submission's handler",
          singles.map(({ handler }) => handler),
        ),
        row(
          "  from its end to the worker, over the queue",
          singles.map(({ toWorker }) => toWorker),
        ),
        row(
          "  the worker, to the run's end",
          singles.map(({ worker }) => worker),
        ),
        row("bare put, send and receive", bares),
        row("a decision's share in a chain of 100 (goal 1)", hops),
      ],
    ),
  );
  print(
    `\nratio of the medians, submit to completed to bare: ${(median(totals) / median(bares)).toFixed(2)}\n`,
  );
} finally {
  await service.stop();
}

/** Every call of one plan in its order, from a service whose wire is counted: what the time above is made of. */
const counted = await startCountedService();
try {
  const client = await counted.clientOf("bench");
  for (const planId of ["warm", "one"]) {
    const from = counted.wire.calls.length;
    await client.executePlan({ planId, plan: single });
    const accepted = counted.wire.calls.length;
    await counted.frontiers.ended({ tenant: "bench", planId });
    if (planId === "warm") continue;
    const phases = [
      ["until it is accepted", counted.wire.calls.slice(from, accepted)],
      ["until its run has ended", counted.wire.calls.slice(accepted)],
    ] as const;
    print("\nRound trips of a plan of one decision, in the order of their answers\n");
    for (const [name, calls] of phases) {
      const { tableRequests, queueRequests, objectGets, objectPuts } = unitsOf(calls);
      print(
        `\n${name}: ${tableRequests} table, ${queueRequests} queue, ${objectGets + objectPuts} objects\n`,
      );
      for (const { operation, target } of calls) {
        print(`  ${operation.padEnd(16)} ${target.replace(/^\S*\/000000000000\//, "")}\n`);
      }
    }
  }
} finally {
  await counted.stop();
}
