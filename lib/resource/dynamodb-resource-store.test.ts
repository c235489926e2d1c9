import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { dynamodbResourceStore } from "./dynamodb-resource-store.ts";
import { resourceRecord, resourceStoreContract } from "./resource-store.contract.ts";
import type { ResourceKey } from "./resource-store.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
const contents = memoryContentStore();
const storeOn = (client: DynamoDBClient, spillAboveBytes = 300_000) =>
  dynamodbResourceStore({ client, tableName, content: () => contents, spillAboveBytes });
const down = Array.from({ length: 4 }, () => "unavailable" as const);

resourceStoreContract("dynamodbResourceStore", () => storeOn(aws.dynamodb()));
resourceStoreContract("dynamodbResourceStore with spilled bodies", async () =>
  dynamodbResourceStore({
    client: aws.dynamodb(),
    tableName: await aws.newTable(),
    content: () => contents,
    spillAboveBytes: 10,
  }),
);

test("a writer that died before the latest moved is seen by nobody, and the next one finishes its move", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const key: ResourceKey = { tenant: "acme", kind: "projects", id: "local/crash" };
  await store.put(resourceRecord(key));
  const dead = resourceRecord(key, { revision: 2, version: "2", body: { by: "the dead" } });
  faults.script("PutItem", [undefined, ...down]);
  await assert.rejects(store.put(dead), { code: "unavailable" });
  assert.equal((await store.get(key))?.revision, 1);
  assert.equal(await store.getRevision({ ...key, revision: 2 }), undefined);

  const next = resourceRecord(key, { revision: 2, body: { by: "the next" } });
  assert.equal(await store.put(next), false);
  assert.deepEqual(await store.get(key), dead);
  const { resources } = await store.list({ tenant: "acme", kind: "projects", limit: 100 });
  assert.equal(resources.find(({ id }) => id === key.id)?.version, "2");
  assert.equal(await store.put({ ...next, revision: 3 }), true);
});

test("a writer that died before the latest moved may come again with the same revision", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const record = resourceRecord({ tenant: "acme", kind: "projects", id: "local/again" });
  faults.script("PutItem", [undefined, ...down]);
  await assert.rejects(store.put(record));
  assert.equal(await store.put(record), true);
  assert.deepEqual(await store.get(record), record);
});

test("a first revision of the dead is finished by the next writer, who is told that somebody else was first", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const dead = resourceRecord({ tenant: "acme", kind: "projects", id: "local/dead" });
  faults.script("PutItem", [undefined, ...down]);
  await assert.rejects(store.put(dead), { code: "unavailable" });
  assert.equal(await store.get(dead), undefined);
  assert.equal(await store.put({ ...dead, serverId: "srv_next" }), false);
  assert.deepEqual(await store.get(dead), dead);
});

test("a new resource costs two writes and no read; where one stands already, the write tells and one read follows", async () => {
  const client = aws.dynamodb();
  const store = storeOn(client);
  const record = resourceRecord({ tenant: "acme", kind: "projects", id: "local/cost" });
  const capacity = countCapacity(client);
  assert.equal(await store.put(record), true);
  assert.deepEqual(
    [...capacity.byOperation].map(([name, { requests }]) => [name, requests]),
    [["PutItem", 2]],
  );
  capacity.reset();
  assert.equal(await store.put({ ...record, serverId: "srv_other" }), false);
  assert.equal(capacity.total().requests, 2);
});

test("a put whose answers were lost is the writer's", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const record = resourceRecord({ tenant: "acme", kind: "tools", id: "local/lost" });
  faults.script("PutItem", ["answer_lost", undefined, "answer_lost"]);
  assert.equal(await store.put(record), true);
  assert.equal(faults.injected(), 2);
  assert.equal(await store.put({ ...record, revision: 2 }), true);
});

test("a listing takes one request, and a unit for a dozen resources, whatever their bodies weigh", async () => {
  const table = await aws.newTable();
  const client = aws.dynamodb();
  const store = dynamodbResourceStore({ client, tableName: table, content: () => contents });
  const records = Array.from({ length: 240 }, (_, index) =>
    resourceRecord(
      { tenant: "acme", kind: "tools", id: `local/tool-${index}` },
      { body: { text: randomBytes(3000).toString("base64") } },
    ),
  );
  await Promise.all(records.map((record) => store.put(record)));
  const counter = countCapacity(client);
  const page = await store.list({ tenant: "acme", limit: 5000 });
  assert.equal(page.resources.length, 240);
  assert.equal(counter.total().requests, 1);
  assert.ok(counter.total().readUnits <= 20, `${counter.total().readUnits} units`);
});
