import assert from "node:assert/strict";
import { test } from "node:test";
import { type BatchGetItemCommand, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { dynamodbTable } from "./dynamodb-table.ts";
import { emulatedAws } from "./emulated-aws.testkit.ts";
import { injectFaults } from "./injected-faults.testkit.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
const keys = Array.from({ length: 230 }, (_, index) => ({ pk: "batch", sk: String(index).padStart(4, "0") }));
const pauses: number[] = [];
const tableOn = (client: DynamoDBClient) =>
  dynamodbTable({
    client,
    tableName,
    pause: async (attempt) => {
      pauses.push(attempt);
    },
  });
await Promise.all(keys.map(({ pk, sk }) => tableOn(aws.dynamodb()).putIfAbsent({ pk, sk })));

/** A service that processes at most `most` keys of a batch, as a throttled table does. */
function processAtMost(client: DynamoDBClient, most: number): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      if (context.commandName !== "BatchGetItemCommand") return next(args);
      const input = args.input as BatchGetItemCommand["input"];
      const asked = input.RequestItems?.[tableName]?.Keys ?? [];
      const processed = { [tableName]: { Keys: asked.slice(0, most), ConsistentRead: true } };
      const left = { [tableName]: { Keys: asked.slice(most), ConsistentRead: true } };
      const nothing = { output: { $metadata: {}, Responses: {}, UnprocessedKeys: left }, response: {} };
      if (most === 0) return nothing;
      const result = await next({ ...args, input: { ...input, RequestItems: processed } });
      if (asked.length > most) Object.assign(result.output, { UnprocessedKeys: left });
      return result;
    },
    { step: "initialize" },
  );
}

test("items that a batch leaves unprocessed are asked for again, and none is lost (F7)", async () => {
  const client = aws.dynamodb();
  processAtMost(client, 30);
  pauses.length = 0;
  const items = await tableOn(client).getMany(keys);
  assert.deepEqual(
    items.map((item) => item.sk).sort(),
    keys.map((key) => key.sk),
  );
  assert.deepEqual(pauses, [1, 2, 3, 1, 2, 3]);
});

test("a batch that stays unprocessed is an outage, never a shorter answer (F7)", async () => {
  const client = aws.dynamodb();
  processAtMost(client, 0);
  await assert.rejects(tableOn(client).getMany(keys), { code: "unavailable", retryable: true });
});

test("a batch that fails is an outage once the SDK gives up", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  faults.script(
    "BatchGetItem",
    Array.from({ length: 4 }, () => "unavailable"),
  );
  await assert.rejects(tableOn(client).getMany(keys.slice(0, 3)), { code: "unavailable", retryable: true });
  assert.equal(faults.injected(), 4);
});

test("a table that is not there, and an endpoint that is silent, are outages that say what was tried", async () => {
  const silent = new DynamoDBClient({
    region: "us-east-1",
    endpoint: "http://127.0.0.1:1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  await assert.rejects(dynamodbTable({ client: silent, tableName }).get({ pk: "a", sk: "b" }), {
    code: "unavailable",
    retryable: true,
  });
  const missing = dynamodbTable({ client: aws.dynamodb(), tableName: "no-such-table" });
  await assert.rejects(missing.get({ pk: "a", sk: "b" }), (fault: Error) => {
    assert.match(fault.message, /Could not read b of a in table no-such-table: ResourceNotFoundException/);
    return true;
  });
});

test("a request that is wrong in itself is a defect and not retryable", async () => {
  const table = tableOn(aws.dynamodb());
  await assert.rejects(table.putIf({ pk: "a", sk: "b" }, { expression: "no such (" }), {
    code: "internal",
    retryable: false,
  });
});

test("a failed condition is a value, with the item that stands", async () => {
  const table = tableOn(aws.dynamodb());
  const item = { pk: "condition", sk: "a", n: 1 };
  assert.deepEqual(await table.putIfAbsent(item), { written: true });
  assert.deepEqual(await table.putIfAbsent({ ...item, n: 2 }), { written: false, standing: item });
  const none = await table.putIf({ ...item, sk: "none" }, { expression: "n = :n", values: { ":n": 1 } });
  assert.deepEqual(none, { written: false, standing: undefined });
});

test("values come back as the kinds that they went in, and an undefined one is not written", async () => {
  const table = tableOn(aws.dynamodb());
  const key = { pk: "kinds", sk: "a" };
  const bytes = Uint8Array.of(0, 128, 255);
  await table.putIfAbsent({
    ...key,
    n: 1_790_000_000_000,
    t: "",
    b: bytes,
    none: new Uint8Array(),
    x: undefined,
  });
  const read = await table.get(key);
  assert.deepEqual(read, { ...key, n: 1_790_000_000_000, t: "", b: bytes, none: new Uint8Array() });
  assert.deepEqual((await table.query({ pk: key.pk, limit: 1 })).items, [read]);
  assert.deepEqual(await table.getMany([key]), [read]);
});

test("an item with values that no store writes is damaged, and says where it lies", async () => {
  const client = aws.dynamodb();
  await client.send(
    new PutItemCommand({
      TableName: tableName,
      Item: { pk: { S: "damaged" }, sk: { S: "a" }, list: { L: [{ S: "x" }] } },
    }),
  );
  const damaged = { code: "internal", message: /item a of damaged is damaged: attribute 'list'/ };
  await assert.rejects(tableOn(client).get({ pk: "damaged", sk: "a" }), damaged);
  await assert.rejects(tableOn(client).putIfAbsent({ pk: "damaged", sk: "a" }), damaged);
});
