import assert from "node:assert/strict";
import { test } from "node:test";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { dynamodbTokenStore } from "./dynamodb-token-store.ts";
import { tokenStoreContract } from "./token-store.contract.ts";
import type { TokenRecord } from "./token-store.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
const token = (id: string): TokenRecord => ({
  v: 1,
  id,
  secretSha256: id.padEnd(64, "0"),
  tenant: "acme",
  principal: "user:ada",
  scopes: ["plans:read"],
  createdAtEpochMs: 1_790_000_000_000,
});

tokenStoreContract("dynamodbTokenStore", () => dynamodbTokenStore({ client: aws.dynamodb(), tableName }));

test("a token whose creator's answer was lost is the creator's", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = dynamodbTokenStore({ client, tableName });
  faults.script("PutItem", ["answer_lost", undefined, "answer_lost"]);
  assert.equal(await store.create(token("lost")), true);
  assert.equal(faults.injected(), 2);
});

test("a creator that died in between leaves no token, and a list that passes over it", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = dynamodbTokenStore({ client, tableName });
  const down = Array.from({ length: 4 }, () => "unavailable" as const);
  faults.script("PutItem", [undefined, ...down]);
  await assert.rejects(store.create({ ...token("dead"), tenant: "crashed" }), { code: "unavailable" });
  assert.equal(await store.get("dead"), undefined);
  assert.deepEqual(await store.list({ tenant: "crashed", limit: 10 }), { tokens: [] });
});

test("finding a token takes one request and one read unit", async () => {
  const client = aws.dynamodb();
  const store = dynamodbTokenStore({ client, tableName });
  await store.create(token("cheap"));
  const counter = countCapacity(client);
  await store.get("cheap");
  assert.equal(counter.total().requests, 1);
  assert.equal(counter.total().readUnits, 1);
});

test("a token of a later version works with the scopes that this one knows", async () => {
  const client = aws.dynamodb();
  const store = dynamodbTokenStore({ client, tableName });
  const scopes: string[] = ["plans:read", "moons:write", "plans:write"];
  await store.create({ ...token("later"), ...Object({ scopes }) });
  assert.deepEqual((await store.get("later"))?.scopes, ["plans:read", "plans:write"]);
});
