import assert from "node:assert/strict";
import { test } from "node:test";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { dynamodbQuotaStore } from "./dynamodb-quota-store.ts";
import { quotaStoreContract } from "./quota-store.contract.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();

quotaStoreContract("dynamodbQuotaStore", () => dynamodbQuotaStore({ client: aws.dynamodb(), tableName }));

test("a taking costs one request and one write unit, the first of a window one more", async () => {
  const client = aws.dynamodb();
  const store = dynamodbQuotaStore({ client, tableName });
  const key = { tenant: "acme", meter: "submissions" } as const;
  const taking = (windowEpochSeconds: number) => ({
    windowEpochSeconds,
    windowed: { plans: { amount: 1, limit: 9 }, decisions: { amount: 9, limit: 999 } },
    lasting: { openRuns: { amount: 1, limit: 9 } },
  });
  await store.take(key, taking(60));
  const counter = countCapacity(client);
  await store.take(key, taking(60));
  assert.deepEqual([counter.total().requests, counter.total().writeUnits], [1, 1]);
  await store.take(key, taking(120));
  assert.equal(counter.total().requests, 3);
});
