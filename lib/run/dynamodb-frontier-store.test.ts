import assert from "node:assert/strict";
import { test } from "node:test";
import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { ulid } from "ulid";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { frontierKey } from "../table/table-keys.ts";
import { dynamodbFrontierStore } from "./dynamodb-frontier-store.ts";
import { dynamodbOpenRuns } from "./dynamodb-open-runs.ts";
import type { Frontier } from "./frontier.ts";
import { frontierStoreContract } from "./frontier-store.contract.ts";
import { openRunsContract } from "./open-runs.contract.ts";
import type { RunRecord } from "./run-record.ts";
import type { RunKey } from "./run-store.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();

const ids = { ulid: () => ulid() };
const storeOn = (client: DynamoDBClient) => dynamodbFrontierStore({ client, tableName, ids });
const hex = (digit: string) => digit.repeat(64);

frontierStoreContract("dynamodbFrontierStore", async () => storeOn(aws.dynamodb()));
openRunsContract("dynamodbOpenRuns", {
  open: async () => ({
    frontiers: storeOn(aws.dynamodb()),
    openRuns: dynamodbOpenRuns({ client: aws.dynamodb(), tableName }),
  }),
});

let plans = 0;
function newRun(): RunRecord {
  plans += 1;
  return {
    v: 1,
    tenant: "acme",
    planId: `plan-${plans}`,
    run: 1,
    changesetId: ulid(),
    requestedBy: "user:ada",
    requestedAtEpochMs: 1_790_000_000_000,
    list: { kind: "all" },
    decisionCount: 1000,
    startsFrom: { chainHead: hex("a"), ledgerHead: hex("b"), lastSeq: 0 },
  };
}
const moved = (frontier: Frontier, position: number): Frontier => ({
  ...frontier,
  revision: frontier.revision + 1,
  state: { phase: "running" },
  position,
  chainHead: ulid().repeat(3).slice(0, 64),
});

test("a move whose answer was lost is the mover's, and the SDK's retry does not double or lose it", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const { frontier } = await store.create(newRun());
  const next = moved(frontier, 32);
  faults.script("PutItem", ["answer_lost"]);
  assert.equal(await store.move(next), true);
  assert.equal(faults.injected(), 1);
  assert.deepEqual(await store.read(next), next);
});

test("a move that was throttled, then applied without an answer, then tried again is the mover's", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const { frontier } = await store.create(newRun());
  const next = moved(frontier, 32);
  faults.script("PutItem", ["throttled", "answer_lost", "unavailable"]);
  assert.equal(await store.move(next), true);
  assert.equal(faults.injected(), 3);
});

test("of two workers with the very same move one is told that it lost, so that no external call starts twice", async () => {
  const store = storeOn(aws.dynamodb());
  const { frontier } = await store.create(newRun());
  const next = moved(frontier, 0);
  const outcomes = await Promise.all([store.move(next), store.move(next)]);
  assert.deepEqual(outcomes.sort(), [false, true]);
});

test("a move that stays without an answer throws, and a later one on its revision is refused", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const { frontier } = await store.create(newRun());
  faults.script("PutItem", ["answer_lost", "unavailable", "unavailable", "unavailable"]);
  await assert.rejects(store.move(moved(frontier, 32)), (fault) => {
    assert.ok(fault instanceof InfrastructureError);
    assert.equal(fault.retryable, true);
    return true;
  });
  assert.equal(await store.move(moved(frontier, 32)), false);
  assert.equal((await store.read(frontier))?.revision, 1);
});

test("a run whose creator's answer was lost is created once, with its own changeset", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const run = newRun();
  faults.script("PutItem", ["answer_lost", undefined, "answer_lost"]);
  const created = await store.create(run);
  assert.equal(faults.injected(), 2);
  assert.deepEqual(created.run, run);
  assert.equal(created.frontier.changesetId, run.changesetId);
});

test("a creator that died between run and frontier is completed with the run that stands", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const first = newRun();
  const fails = ["unavailable", "unavailable", "unavailable", "unavailable"] as const;
  faults.script("PutItem", [undefined, ...fails]);
  await assert.rejects(store.create(first), InfrastructureError);
  assert.equal(await store.read(first), undefined);
  const second = await store.create({ ...first, changesetId: ulid(), requestedBy: "user:bob" });
  assert.deepEqual(second.run, first);
  assert.equal(second.frontier.changesetId, first.changesetId);
});

test("a frontier stays below 1 KB, and a move costs one write unit and one request", async () => {
  const client = aws.dynamodb();
  const counter = countCapacity(client);
  const store = storeOn(client);
  const run = { ...newRun(), tenant: "t".repeat(64), planId: `p${"x".repeat(100)}` };
  const { frontier } = await store.create(run);
  const next: Frontier = {
    ...moved(frontier, 999),
    counts: { landed: 123_456, failed: 321, skipped: 78_901, toolCalls: 1_234_567, entries: 7_654_321 },
    failureSteps: Array.from({ length: 100 }, (_, index) => index * 32),
    intent: {
      ordinal: 4711,
      callOrdinal: 3,
      tool: "notify_everybody",
      inputSha256: hex("c"),
      idempotencyKey: hex("d"),
      deadlineEpochMs: 1_790_000_060_000,
    },
    startedAtEpochMs: 1_790_000_000_123,
  };
  counter.reset();
  assert.equal(await store.move(next), true);
  const { requests, writeUnits, failedConditions } = counter.total();
  assert.deepEqual(
    { requests, writeUnits, failedConditions },
    { requests: 1, writeUnits: 1, failedConditions: 0 },
  );
  assert.deepEqual(await store.read(next), next);
  const { pk, sk } = frontierKey(next);
  const item = await aws
    .dynamodb()
    .send(new GetItemCommand({ TableName: tableName, Key: { pk: { S: pk }, sk: { S: sk } } }));
  assert.ok((item.Item?.d?.B?.byteLength ?? 1024) < 600);
});

test("a move that changes the time of the next look pays the index, one that leaves it does not", async () => {
  const client = aws.dynamodb();
  const counter = countCapacity(client);
  const store = storeOn(client);
  const { frontier } = await store.create(newRun());
  counter.reset();
  const next = { ...moved(frontier, 1), nextCheckEpochSeconds: (frontier.nextCheckEpochSeconds ?? 0) + 60 };
  assert.equal(await store.move(next), true);
  assert.equal(counter.total().writeUnits, 3);
});

test("a frontier of a later version is refused, not guessed at", async () => {
  const client = aws.dynamodb();
  const store = storeOn(client);
  const { frontier } = await store.create(newRun());
  const { pk, sk } = frontierKey(frontier);
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: "SET v = :v",
      ExpressionAttributeValues: { ":v": { N: "2" } },
    }),
  );
  await assert.rejects(store.read(frontier), { code: "internal" });
  await assert.rejects(store.latest(frontier), { code: "internal" });
});

test("the latest run of a plan is the highest, beyond nine too", async () => {
  const store = storeOn(aws.dynamodb());
  const run = newRun();
  assert.equal(await store.latest(run), undefined);
  for (const number of [1, 2, 9, 10]) await store.create({ ...run, run: number, changesetId: ulid() });
  assert.equal((await store.latest(run))?.run, 10);
  assert.equal((await store.getRun({ ...run, run: 9 }))?.run, 9);
  assert.equal(await store.getRun({ ...run, run: 3 }), undefined);
});

test("open runs leave the index when they end, and a tenant's plan ids cannot reach another's", async () => {
  const table = await aws.newTable();
  const client = aws.dynamodb();
  const store = dynamodbFrontierStore({ client, tableName: table, ids });
  const openRuns = dynamodbOpenRuns({ client, tableName: table });
  const runs = Array.from({ length: 25 }, newRun);
  const created = await Promise.all(runs.map((run) => store.create(run)));
  const due = async (nowEpochSeconds: number, limit: number): Promise<RunKey[]> => {
    const found: RunKey[] = [];
    let cursor: string | undefined;
    do {
      const page = await openRuns.due({
        nowEpochSeconds,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(page.runs.length <= limit);
      found.push(...page.runs);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return found.sort((one, other) => (one.planId < other.planId ? -1 : 1));
  };
  const keys = runs.map(({ tenant, planId, run }) => ({ tenant, planId, run }));
  const byId = (one: RunKey, other: RunKey) => (one.planId < other.planId ? -1 : 1);
  assert.deepEqual(await due(1_790_000_000, 4), []);
  assert.deepEqual(await due(1_790_000_600, 4), keys.sort(byId));
  for (const { frontier } of created.slice(1)) {
    const { nextCheckEpochSeconds, ...rest } = moved(frontier, 1000);
    assert.equal(await store.move(rest), true);
  }
  assert.deepEqual(
    (await due(1_790_000_600, 1)).map((run) => run.planId),
    [runs[0]?.planId],
  );
  await assert.rejects(store.create({ ...newRun(), planId: "p#FRONTIER" }), { field: "planId" });
  await assert.rejects(store.read({ tenant: "acme#P", planId: "p", run: 1 }), { field: "tenant" });
});
