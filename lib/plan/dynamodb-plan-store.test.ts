import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { ulid } from "ulid";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import type { PlanRecord } from "./compiled-plan.ts";
import { dynamodbPlanStore } from "./dynamodb-plan-store.ts";
import { planStoreContract } from "./plan-store.contract.ts";
import type { PlanStore } from "./plan-store.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
const contents = memoryContentStore();
const storeOn = (client: DynamoDBClient) => dynamodbPlanStore({ client, tableName, content: () => contents });
const down = Array.from({ length: 4 }, () => "unavailable" as const);

planStoreContract("dynamodbPlanStore", async () => storeOn(aws.dynamodb()));

let count = 0;
function plan(tenant: string, fields: Partial<PlanRecord> = {}, rationale = "the name misleads"): PlanRecord {
  count += 1;
  return {
    v: 1,
    tenant,
    planId: `plan-${count}`,
    serverPlanId: `pln_${ulid(1_790_000_000_000 + count)}`,
    documentSha256: "d".repeat(64),
    submittedBy: "user:ada",
    submittedAtEpochMs: 1_790_000_000_000 + count,
    plan: {
      name: `Plan ${count} “größe”`,
      decisionRootId: "d0",
      automationProfile: "manual",
      resources: [
        { name: "app", project: "local/app", revision: 3, baseTree: "b".repeat(64), access: "write" },
      ],
      resourceBindings: { repo: "app" },
      decisionCount: 1,
      decisions: {
        kind: "inline",
        decisions: [
          {
            ordinal: 0,
            id: "d1",
            parentId: "d0",
            rationale,
            dependsOn: [],
            toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "\u0000ü\n" } }],
          },
        ],
      },
    },
    ...fields,
  };
}

/** As a submission does. */
const submit = async (store: PlanStore, record: PlanRecord): Promise<PlanRecord> => {
  const standing = await store.create(record);
  await store.enlist(standing);
  return standing;
};

test("a plan is given back as accepted, by its id and by the service's", async () => {
  const store = storeOn(aws.dynamodb());
  const record = plan("acme");
  assert.deepEqual(await submit(store, record), record);
  assert.deepEqual(await store.get(record), record);
  assert.equal(await store.resolve(record), record.planId);
  assert.equal(await store.resolve({ tenant: "other", serverPlanId: record.serverPlanId }), undefined);
  assert.equal(await store.get({ tenant: "other", planId: record.planId }), undefined);
});

test("of many submissions of one plan one stands, and all are answered with it (F5, F13)", async () => {
  const store = storeOn(aws.dynamodb());
  const first = plan("racing");
  const rivals = Array.from({ length: 6 }, () => ({ ...plan("racing"), planId: first.planId }));
  const answers = await Promise.all(rivals.map((rival) => submit(store, rival)));
  const [standing] = answers;
  assert.ok(standing);
  for (const answer of answers) assert.deepEqual(answer, standing);
  assert.equal(await store.resolve(standing), first.planId);
  const page = await store.list({ tenant: "racing", limit: 10 });
  assert.deepEqual(
    page.plans.map(({ serverPlanId }) => serverPlanId),
    [standing.serverPlanId],
  );
});

test("a submission that died between its two writes is made good by the next one", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const dead = plan("crashed");
  faults.script("PutItem", [undefined, ...down]);
  await assert.rejects(submit(store, dead), { code: "unavailable" });
  const again = { ...plan("crashed"), planId: dead.planId };
  assert.deepEqual(await submit(store, again), dead);
  assert.equal(await store.resolve(dead), dead.planId);
  assert.equal(await store.resolve(again), undefined);
});

test("a submission whose answers were lost is one plan", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const record = plan("lost");
  faults.script("PutItem", ["answer_lost", undefined, "answer_lost"]);
  assert.deepEqual(await submit(store, record), record);
  assert.equal((await store.list({ tenant: "lost", limit: 10 })).plans.length, 1);
});

test("plans are listed newest first, page by page, for their tenant only", async () => {
  const store = storeOn(aws.dynamodb());
  const records = Array.from({ length: 7 }, () => plan("listing"));
  for (const record of records) await submit(store, record);
  await submit(store, plan("somebody-else"));
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({
      tenant: "listing",
      limit: 3,
      ...(cursor === undefined ? {} : { cursor }),
    });
    assert.ok(page.plans.length <= 3);
    listed.push(...page.plans.map(({ planId, name }) => `${planId} ${name}`));
    cursor = page.cursor;
  } while (cursor !== undefined);
  const newestFirst = records.map((record) => `${record.planId} ${record.plan.name}`).reverse();
  assert.deepEqual(listed, newestFirst);
});

test("a plan that no item can hold lies in the content store (F6)", async () => {
  const store = storeOn(aws.dynamodb());
  // Random text does not compress below the limit of an item.
  const rationale = randomBytes(700_000).toString("base64");
  const record = plan("large", {}, rationale);
  await store.create(record);
  assert.deepEqual(await store.get(record), record);
  assert.deepEqual(await store.create({ ...record, serverPlanId: `pln_${ulid()}` }), record);
});

test("a small plan costs two write units, and a repeated submission two failed conditions", async () => {
  const client = aws.dynamodb();
  const store = storeOn(client);
  const counter = countCapacity(client);
  const record = plan("units");
  await submit(store, record);
  assert.equal(counter.total().writeUnits, 2);
  assert.equal(counter.total().requests, 2);
  counter.reset();
  await submit(store, record);
  const { writeUnits, readUnits, failedConditions } = counter.total();
  assert.deepEqual(
    { writeUnits, readUnits, failedConditions },
    { writeUnits: 0, readUnits: 0, failedConditions: 2 },
  );
});
