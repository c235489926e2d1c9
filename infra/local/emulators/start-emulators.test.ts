import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  CreateTableCommand,
  DynamoDBClient,
  GetItemCommand,
  ListTablesCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import {
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod/mini";
import { startEmulators } from "./start-emulators.ts";

const settings = {
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
} as const;
const dynamodb = (endpoint: string) => new DynamoDBClient({ ...settings, endpoint });
const s3 = (endpoint: string) => new S3Client({ ...settings, endpoint, forcePathStyle: true });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function temporaryDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "planledger-emulators-"));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function started(dataDir?: string) {
  const emulators = await startEmulators(dataDir === undefined ? {} : { dataDir });
  cleanups.push(() => emulators.stop());
  return emulators;
}

const endpoints = z.object({ dynamodbEndpoint: z.string(), s3Endpoint: z.string() });

/** The emulators in a process of their own, which the test may kill. */
async function startedElsewhere(dataDir: string) {
  const program = fileURLToPath(new URL("./hold-emulators.testkit.ts", import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [program, dataDir], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  cleanups.push(() => child.kill("SIGKILL"));
  assert.ok(child.stdout);
  const [line]: unknown[] = await once(createInterface({ input: child.stdout }), "line");
  const owner: unknown = JSON.parse(readFileSync(join(dataDir, "owner.json"), "utf8"));
  const { emulatorPid } = z.object({ emulatorPid: z.optional(z.number()) }).parse(owner);
  return {
    ...endpoints.parse(JSON.parse(String(line))),
    pid: child.pid,
    emulatorPid,
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function createTable(client: DynamoDBClient) {
  await client.send(
    new CreateTableCommand({
      TableName: "ledger",
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
}

async function ended(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    // A zombie that nobody has reaped yet runs no more.
    if (processState(pid) === "Z") return;
    await delay(5);
  }
}

function processState(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0];
  } catch {
    return undefined;
  }
}

test("tables, queues and objects answer on the loopback interface, and are gone after a stop", async () => {
  const emulators = await started();
  await createTable(dynamodb(emulators.dynamodbEndpoint));
  await s3(emulators.s3Endpoint).send(new CreateBucketCommand({ Bucket: "content" }));
  const sqs = new SQSClient({
    ...settings,
    endpoint: emulators.sqsEndpoint,
    useQueueUrlAsEndpoint: false,
  });
  await sqs.send(new CreateQueueCommand({ QueueName: "hints" }));
  const QueueUrl = `${emulators.sqsEndpoint}/000000000000/hints`;
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: "hello" }));
  const received = await sqs.send(new ReceiveMessageCommand({ QueueUrl }));
  assert.equal(received.Messages?.[0]?.Body, "hello");
  assert.match(emulators.sqsEndpoint, /^http:\/\/127\.0\.0\.1:\d+$/);

  await emulators.stop();
  await emulators.stop();
  for (const endpoint of [emulators.dynamodbEndpoint, emulators.s3Endpoint]) {
    await assert.rejects(fetch(endpoint), `${endpoint} still answers`);
  }
});

test("the largest file, 16 MiB, goes up in one request", async () => {
  const objects = s3((await started(temporaryDirectory())).s3Endpoint);
  await objects.send(new CreateBucketCommand({ Bucket: "content" }));
  const body = Buffer.alloc(16 * 1024 * 1024, "large");
  await objects.send(new PutObjectCommand({ Bucket: "content", Key: "large", Body: body }));
  const found = await objects.send(new GetObjectCommand({ Bucket: "content", Key: "large" }));
  assert.equal(Buffer.compare((await found.Body?.transformToByteArray()) ?? Buffer.alloc(0), body), 0);
});

test("a data directory in use is refused with the process that holds it, and free after a stop", async () => {
  const dataDir = temporaryDirectory();
  const emulators = await started(dataDir);
  await assert.rejects(startEmulators({ dataDir }), (fault: Error) => {
    assert.match(fault.message, new RegExp(`in use by process ${process.pid}.*--data`));
    return true;
  });
  await emulators.stop();
  await started(dataDir);
});

test("a data directory of a live process elsewhere is refused", async () => {
  const dataDir = temporaryDirectory();
  const elsewhere = await startedElsewhere(dataDir);
  await assert.rejects(startEmulators({ dataDir }), new RegExp(`in use by process ${elsewhere.pid}`));
});

test("after kill -9 no process is left, and every acknowledged write is there at once", async () => {
  const dataDir = temporaryDirectory();
  const elsewhere = await startedElsewhere(dataDir);
  const table = dynamodb(elsewhere.dynamodbEndpoint);
  await createTable(table);
  const objects = s3(elsewhere.s3Endpoint);
  await objects.send(new CreateBucketCommand({ Bucket: "content" }));

  // Writes go on until the kill; what was acknowledged by then must be found.
  const rows: string[] = [];
  const keys: string[] = [];
  const body = Buffer.alloc(200_000, "x");
  const writing = (async () => {
    for (let n = 0; ; n++) {
      await table.send(new PutItemCommand({ TableName: "ledger", Item: { pk: { S: `row-${n}` } } }));
      rows.push(`row-${n}`);
      await objects.send(new PutObjectCommand({ Bucket: "content", Key: `key-${n % 7}`, Body: body }));
      keys.push(`key-${n % 7}`);
      if (n === 12) void elsewhere.kill();
    }
  })();
  await assert.rejects(writing);
  assert.ok(rows.length >= 12);

  const emulators = await started(dataDir);
  // The fallback for other platforms runs in the killed process itself.
  if (elsewhere.emulatorPid !== undefined) await ended(elsewhere.emulatorPid);
  else assert.notEqual(`${process.platform}-${process.arch}`, "linux-x64");
  const again = dynamodb(emulators.dynamodbEndpoint);
  assert.deepEqual((await again.send(new ListTablesCommand())).TableNames, ["ledger"]);
  for (const pk of rows) {
    const found = await again.send(new GetItemCommand({ TableName: "ledger", Key: { pk: { S: pk } } }));
    assert.ok(found.Item, `${pk} was acknowledged and is lost`);
  }
  for (const Key of new Set(keys)) {
    const found = await s3(emulators.s3Endpoint).send(new GetObjectCommand({ Bucket: "content", Key }));
    assert.deepEqual(Buffer.from((await found.Body?.transformToByteArray()) ?? []), body, Key);
  }
});
