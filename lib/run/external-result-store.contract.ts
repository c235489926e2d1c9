import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ExternalResult, ExternalResultStore } from "./run-store.ts";

let plans = 0;
const newKey = () => ({
  tenant: "acme",
  planId: `result-contract-${++plans}`,
  run: 1,
  ordinal: 7,
  callOrdinal: 0,
});
const output = (bytes: Uint8Array) => ({
  bytes,
  sizeBytes: bytes.length,
  truncated: false,
  sha256: "a".repeat(64),
});
const succeeded = (bytes: Uint8Array): ExternalResult => ({
  v: 1,
  idempotencyKey: "b".repeat(64),
  outcome: { status: "succeeded", output: output(bytes) },
});

/** The behaviour of every `ExternalResultStore`. `open` is called once. */
export function externalResultStoreContract(name: string, open: () => Promise<ExternalResultStore>): void {
  let store: ExternalResultStore;
  before(async () => {
    store = await open();
  });

  test(`${name}: a result reads back as it was recorded, output of any bytes and failures included (F18)`, async () => {
    const key = newKey();
    assert.equal(await store.get(key), undefined);
    const result = succeeded(Uint8Array.of(0, 255, 0xed, 0xa0, 0x80, 10));
    assert.deepEqual(await store.putIfAbsent(key, result), result);
    assert.deepEqual(await store.get(key), result);
    const failure = {
      code: "external_failed",
      message: "502 from the other side",
      details: { status: 502 },
    } as const;
    const failed: ExternalResult = {
      ...result,
      outcome: { status: "failed", failure, output: output(new Uint8Array()) },
    };
    const other = { ...key, callOrdinal: 1 };
    await store.putIfAbsent(other, failed);
    assert.deepEqual(await store.get(other), failed);
  });

  test(`${name}: the first result stands, and every later one is answered with it`, async () => {
    const key = newKey();
    const results = Array.from({ length: 6 }, (_, index) => succeeded(Uint8Array.of(index)));
    const standing = await Promise.all(results.map((result) => store.putIfAbsent(key, result)));
    for (const answer of standing) {
      assert.deepEqual(answer, standing[0]);
    }
    assert.deepEqual(await store.get(key), standing[0]);
  });

  test(`${name}: 64 KiB of output fit`, async () => {
    const key = newKey();
    const bytes = Uint8Array.from({ length: 64 * 1024 }, (_, index) => (index * 2_654_435_761) >>> 24);
    await store.putIfAbsent(key, succeeded(bytes));
    assert.deepEqual(await store.get(key), succeeded(bytes));
  });

  test(`${name}: run, ordinal and call tell results apart`, async () => {
    const key = newKey();
    await store.putIfAbsent(key, succeeded(Uint8Array.of(1)));
    for (const other of [
      { ...key, run: 2 },
      { ...key, ordinal: 8 },
      { ...key, callOrdinal: 1 },
      { ...key, tenant: "other" },
    ]) {
      assert.equal(await store.get(other), undefined);
    }
  });
}
