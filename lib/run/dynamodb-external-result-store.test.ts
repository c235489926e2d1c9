import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { dynamodbExternalResultStore } from "./dynamodb-external-result-store.ts";
import { externalResultStoreContract } from "./external-result-store.contract.ts";
import type { ExternalResult } from "./run-store.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
externalResultStoreContract("dynamodbExternalResultStore", async () =>
  dynamodbExternalResultStore({ client: aws.dynamodb(), tableName }),
);

const key = { tenant: "acme", planId: "plan", run: 1, ordinal: 7, callOrdinal: 0 };
const result = (bytes: Uint8Array, idempotencyKey = "k".repeat(64)): ExternalResult => ({
  v: 1,
  idempotencyKey,
  outcome: {
    status: "succeeded",
    output: { bytes, sizeBytes: bytes.byteLength, truncated: false, sha256: "a".repeat(64) },
  },
});

test("the first result of a call stands, whatever bytes it gave back (F18)", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = dynamodbExternalResultStore({ client, tableName });
  const samples = [
    new Uint8Array(0),
    Uint8Array.of(0, 0xed, 0xa0, 0x80, 255),
    new Uint8Array(randomBytes(65_536)),
  ];
  for (const [callOrdinal, bytes] of samples.entries()) {
    const at = { ...key, callOrdinal };
    const first = result(bytes);
    assert.equal(await store.get(at), undefined);
    faults.script("PutItem", ["answer_lost"]);
    assert.deepEqual(await store.putIfAbsent(at, first), first);
    assert.deepEqual(await store.putIfAbsent(at, result(Uint8Array.of(1), "other")), first);
    assert.deepEqual(await store.get(at), first);
  }
  assert.equal(faults.injected(), 3);
});

test("a failure is kept with its details", async () => {
  const store = dynamodbExternalResultStore({ client: aws.dynamodb(), tableName });
  const failed: ExternalResult = {
    v: 1,
    idempotencyKey: "k",
    outcome: {
      status: "failed",
      failure: {
        code: "external_failed",
        message: "the service said 503 “später”",
        details: { status: 503 },
      },
      output: { bytes: Uint8Array.of(1, 2), sizeBytes: 70_000, truncated: true, sha256: "b".repeat(64) },
    },
  };
  await store.putIfAbsent({ ...key, run: 2 }, failed);
  assert.deepEqual(await store.get({ ...key, run: 2 }), failed);
  assert.equal(await store.get({ ...key, tenant: "other", run: 2 }), undefined);
});
