import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { dynamodbStepItemStore } from "./dynamodb-step-item-store.ts";
import { memoryStepItemStore } from "./memory-step-item-store.ts";
import type { StepItem } from "./run-store.ts";
import { stepItemStoreContract } from "./step-item-store.contract.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
const storeOn = (client: DynamoDBClient) => dynamodbStepItemStore({ client, tableName });
stepItemStoreContract("dynamodbStepItemStore", async () => storeOn(aws.dynamodb()));

let plans = 0;
const newPlan = () => ({ tenant: "acme", planId: `plan-${++plans}` });
const step = (
  from: number,
  count: number,
  epoch = 0,
  bytes: Uint8Array = new Uint8Array(randomBytes(16)),
): StepItem => ({
  run: 1,
  from,
  epoch,
  count,
  bytes,
});

test("a step whose writer's answer was lost stands once, and its writer finds its own (F1)", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const plan = newPlan();
  const written = step(0, 32);
  faults.script("PutItem", ["throttled", "answer_lost"]);
  assert.deepEqual(await store.putIfAbsent(plan, written), written);
  assert.equal(faults.injected(), 2);
  assert.deepEqual(await store.get({ ...plan, ...written }), written);
});

test("a second writer of a step is answered with the first one's", async () => {
  const store = storeOn(aws.dynamodb());
  const plan = newPlan();
  const [first, second] = [step(0, 32), step(0, 7)];
  await store.putIfAbsent(plan, first);
  assert.deepEqual(await store.putIfAbsent(plan, second), first);
});

test("on random steps of many epochs a range gives what the store in memory gives", async () => {
  const store = storeOn(aws.dynamodb());
  const written = fc.array(
    fc.record({ count: fc.integer({ min: 1, max: 3 }), orphans: fc.nat({ max: 2 }) }),
    {
      minLength: 1,
      maxLength: 8,
    },
  );
  const asked = fc.record({
    from: fc.nat({ max: 20 }),
    before: fc.nat({ max: 24 }),
    limit: fc.nat({ max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(written, fc.array(asked, { minLength: 1, maxLength: 4 }), async (steps, queries) => {
      const plan = newPlan();
      const memory = memoryStepItemStore();
      let from = 0;
      let epoch = 1;
      // A frontier stands between steps.
      const boundaries = [0];
      for (const { count, orphans } of steps) {
        for (let orphan = 0; orphan < orphans; orphan++) {
          const item = step(from, 1 + (orphan % 2), epoch++);
          await Promise.all([store.putIfAbsent(plan, item), memory.putIfAbsent(plan, item)]);
        }
        const item = step(from, count, epoch);
        await Promise.all([store.putIfAbsent(plan, item), memory.putIfAbsent(plan, item)]);
        from += count;
        boundaries.push(from);
      }
      for (const query of queries) {
        const key = { ...plan, run: 1, ...query, before: boundaries[query.before % boundaries.length] ?? 0 };
        assert.deepEqual(await store.range(key), await memory.range(key));
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 40) },
  );
});

test("a range reads only what it gives: one request for one step, two for many", async () => {
  const client = aws.dynamodb();
  const store = storeOn(client);
  const plan = newPlan();
  for (let from = 0; from < 40; from += 2) await store.putIfAbsent(plan, step(from, 2));
  const counter = countCapacity(client);
  const one = await store.range({ ...plan, run: 1, from: 13, before: 40, limit: 1 });
  assert.deepEqual(
    one.map((item) => item.from),
    [12],
  );
  assert.equal(counter.total().requests, 1);
  counter.reset();
  const many = await store.range({ ...plan, run: 1, from: 13, before: 40, limit: 100 });
  assert.equal(many.length, 14);
  assert.equal(counter.total().requests, 2);
});

test("a step costs a write unit a kilobyte and one request, the 100,000th as much as the first (F8, F24)", async () => {
  const client = aws.dynamodb();
  const store = storeOn(client);
  const plan = newPlan();
  const costs = [];
  for (const from of [0, 99_968]) {
    const counter = countCapacity(client);
    await store.putIfAbsent(plan, step(from, 32, 0, randomBytes(22_000)));
    costs.push(counter.total());
    client.middlewareStack.remove("countUnits");
    client.middlewareStack.remove("countRequests");
  }
  assert.deepEqual(costs[1], costs[0]);
  assert.equal(costs[0]?.requests, 1);
  assert.equal(costs[0]?.writeUnits, 22);
});

test("steps of other runs, plans and tenants are not seen", async () => {
  const store = storeOn(aws.dynamodb());
  const plan = newPlan();
  await store.putIfAbsent(plan, step(0, 1));
  const all = { from: 0, before: 100, limit: 10 };
  assert.equal((await store.range({ ...plan, run: 1, ...all })).length, 1);
  assert.deepEqual(await store.range({ ...plan, run: 11, ...all }), []);
  assert.deepEqual(await store.range({ tenant: "other", planId: plan.planId, run: 1, ...all }), []);
});
