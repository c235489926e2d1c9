import assert from "node:assert/strict";
import { test } from "node:test";
import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import type { ResourceStore } from "#lib/resource/resource-store.ts";
import { httpSyncTransport } from "#lib/sync/http-sync-transport.ts";
import { PlanSyncClient } from "#lib/sync/plan-sync-client.ts";
import { countCapacity } from "#lib/table/consumed-capacity.testkit.ts";
import { emulatedAws } from "#lib/table/emulated-aws.testkit.ts";
import { inMemoryClient } from "../in-memory-client.testkit.ts";
import { inMemoryService } from "../in-memory-service.testkit.ts";

const skills = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `local/skill-${String(index).padStart(5, "0")}`,
    name: "A skill",
    version: "1.0",
    metadata: {},
    description: `number ${index}`,
    instructions: "Do it well. ".repeat(20),
  }));

/** Counts what a service asks of its store, and how many writes it holds at once. */
const countedStore = (store: ResourceStore) => {
  const calls = { get: 0, getRevision: 0, put: 0, list: 0, mostPutsAtOnce: 0 };
  let putsNow = 0;
  const counted: ResourceStore = {
    get: (key) => {
      calls.get += 1;
      return store.get(key);
    },
    getRevision: (key) => {
      calls.getRevision += 1;
      return store.getRevision(key);
    },
    list: (query) => {
      calls.list += 1;
      return store.list(query);
    },
    async put(record) {
      calls.put += 1;
      putsNow += 1;
      calls.mostPutsAtOnce = Math.max(calls.mostPutsAtOnce, putsNow);
      try {
        return await store.put(record);
      } finally {
        putsNow -= 1;
      }
    },
  };
  return { counted, calls };
};

test("10,000 new items go up in batches of bounded size, and unchanged they cost at most 12 requests and no write", async () => {
  const service = inMemoryService();
  const { counted, calls } = countedStore(service.ports.resources);
  const { client, sent } = inMemoryClient(service.using({ resources: counted }).send);
  const sync = new PlanSyncClient({ transport: httpSyncTransport({ client }) });
  const items = skills(10_000);
  const progress: number[] = [];
  const created = await sync.syncItems("skills", items, { onProgress: ({ done }) => progress.push(done) });
  assert.deepEqual([created.created, created.writes, created.errors], [10_000, 10_000, []]);
  assert.equal(calls.put, 10_000);
  assert.ok(calls.mostPutsAtOnce <= 8, `${calls.mostPutsAtOnce} puts at once`);
  assert.ok(sent.length <= 105, `${sent.length} requests`);
  assert.ok(sent.every(({ bodyBytes, replyBytes }) => bodyBytes < 4 * 2 ** 20 && replyBytes < 4 * 2 ** 20));
  assert.ok(progress.length > 100);

  sent.length = 0;
  Object.assign(calls, { get: 0, getRevision: 0, put: 0, list: 0 });
  const unchanged = await sync.syncItems("skills", items);
  assert.deepEqual([unchanged.skipped, unchanged.writes], [10_000, 0]);
  assert.equal(unchanged.requests, sent.length);
  assert.ok(sent.length <= 12, `${sent.length} requests`);
  assert.ok(sent.every(({ method }) => method === "GET"));
  assert.deepEqual([calls.get, calls.getRevision, calls.put], [0, 0, 0]);
  assert.ok(calls.list <= 12, `${calls.list} listings of the store`);
});

test("on DynamoDB a new item is two writes, a changed one known by its revision, and a create sent twice is one", async () => {
  const aws = await emulatedAws();
  const dynamodb = aws.dynamodb();
  const service = inMemoryService();
  const resources = dynamodbResourceStore({
    client: dynamodb,
    tableName: await aws.newTable(),
    content: (tenant) => service.ports.storesOf(tenant).content,
  });
  const { client } = inMemoryClient(service.using({ resources }).send);
  const capacity = countCapacity(dynamodb);
  const transport = httpSyncTransport({ client });
  const items = skills(50);
  const sync = new PlanSyncClient({ transport });
  assert.equal((await sync.syncItems("skills", items)).created, 50);
  assert.equal(capacity.byOperation.get("PutItem")?.requests, 100);
  assert.deepEqual([...capacity.byOperation.keys()].sort(), ["PutItem", "Query"]);

  const [first] = skills(1);
  assert.ok(first);
  const write = { op: "put", kind: "skills", item: first, expectedRevision: 0 } as const;
  const [again] = await transport.write([write]);
  assert.deepEqual([again?.status, again?.status === "unchanged" && again.row.revision], ["unchanged", 1]);
  const [other] = await transport.write([{ ...write, item: { ...first, version: "2" } }]);
  assert.equal(other?.status, "conflict");
});

test("on DynamoDB the listing of unchanged items is queries of small items alone: no write unit, and few read units", async () => {
  const aws = await emulatedAws();
  const dynamodb = aws.dynamodb();
  const service = inMemoryService();
  const resources = dynamodbResourceStore({
    client: dynamodb,
    tableName: await aws.newTable(),
    content: (tenant) => service.ports.storesOf(tenant).content,
  });
  const { client, sent } = inMemoryClient(service.using({ resources }).send);
  const sync = new PlanSyncClient({ transport: httpSyncTransport({ client }) });
  const items = skills(200);
  assert.equal((await sync.syncItems("skills", items)).created, 200);
  sent.length = 0;
  const capacity = countCapacity(dynamodb);
  assert.equal((await sync.syncItems("skills", items)).skipped, 200);
  assert.equal(sent.length, 1);
  assert.deepEqual([...capacity.byOperation.keys()], ["Query"]);
  const { requests, readUnits, writeUnits } = capacity.total();
  assert.deepEqual([requests, writeUnits], [1, 0]);
  assert.ok(readUnits > 0 && readUnits <= 200 * 0.1, `${readUnits} read units for 200 items`);
});
