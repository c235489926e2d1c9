import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { StepItem, StepItemStore } from "./run-store.ts";

let plans = 0;
const newPlan = () => ({ tenant: "acme", planId: `step-contract-${++plans}` });
const item = (from: number, count: number, epoch = 0, text = `${from}/${epoch}`): StepItem => ({
  run: 1,
  from,
  epoch,
  count,
  bytes: new Uint8Array(Buffer.from(text)),
});
const places = (items: readonly StepItem[]) => items.map(({ from, epoch }) => [from, epoch]);

/** The behaviour of every `StepItemStore`. `open` is called once. */
export function stepItemStoreContract(name: string, open: () => Promise<StepItemStore>): void {
  let store: StepItemStore;
  before(async () => {
    store = await open();
  });

  test(`${name}: a step reads back as it was written, any bytes, up to 320 KiB`, async () => {
    const plan = newPlan();
    const bytes = Uint8Array.from({ length: 320 * 1024 }, (_, index) => (index * 2_654_435_761) >>> 24);
    const written = { ...item(0, 32), bytes };
    assert.deepEqual(await store.putIfAbsent(plan, written), written);
    assert.deepEqual(await store.get({ ...plan, ...written }), written);
  });

  test(`${name}: the first step under a position and epoch stands, and every later writer is told (F1)`, async () => {
    const plan = newPlan();
    const first = item(32, 5, 2, "first");
    await store.putIfAbsent(plan, first);
    assert.deepEqual(await store.putIfAbsent(plan, item(32, 9, 2, "second")), first);
    assert.deepEqual(await store.get({ ...plan, run: 1, from: 32, epoch: 2 }), first);
    assert.equal(await store.get({ ...plan, run: 1, from: 32, epoch: 1 }), undefined);
    assert.equal(await store.get({ ...plan, run: 2, from: 32, epoch: 2 }), undefined);
  });

  test(`${name}: of many writers at once one stands, the same for all`, async () => {
    const plan = newPlan();
    const writers = Array.from({ length: 8 }, (_, index) => item(0, 1 + index, 0, `writer ${index}`));
    const standing = await Promise.all(writers.map((written) => store.putIfAbsent(plan, written)));
    assert.equal(new Set(standing.map(({ bytes }) => Buffer.from(bytes).toString())).size, 1);
  });

  test(`${name}: a range begins with the step that covers its position and goes on in order`, async () => {
    const plan = newPlan();
    for (const from of [96, 0, 64, 32, 128, 1024]) {
      await store.putIfAbsent(plan, item(from, 32));
    }
    const range = (from: number, before: number, limit: number) =>
      store.range({ ...plan, run: 1, from, before, limit });
    assert.deepEqual(places(await range(0, 160, 10)), [
      [0, 0],
      [32, 0],
      [64, 0],
      [96, 0],
      [128, 0],
    ]);
    assert.deepEqual(places(await range(70, 160, 2)), [
      [64, 0],
      [96, 0],
    ]);
    assert.deepEqual(places(await range(95, 96, 10)), [[64, 0]]);
    assert.deepEqual(await range(500, 1024, 10), []);
    assert.deepEqual(await range(0, 0, 10), []);
  });

  test(`${name}: of several epochs under one position the highest counts, those beyond the frontier do not`, async () => {
    const plan = newPlan();
    for (const written of [
      item(0, 8, 0),
      item(0, 4, 2),
      item(0, 6, 11),
      item(6, 3, 11),
      item(9, 32, 11),
      item(9, 2, 12),
    ]) {
      await store.putIfAbsent(plan, written);
    }
    const range = (from: number, before: number) => store.range({ ...plan, run: 1, from, before, limit: 10 });
    assert.deepEqual(places(await range(0, 9)), [
      [0, 11],
      [6, 11],
    ]);
    assert.deepEqual(places(await range(7, 11)), [
      [6, 11],
      [9, 12],
    ]);
    assert.deepEqual(places(await range(5, 6)), [[0, 11]]);
  });

  test(`${name}: runs, plans and tenants keep their steps apart`, async () => {
    const plan = newPlan();
    await store.putIfAbsent(plan, item(0, 1));
    await store.putIfAbsent(plan, { ...item(0, 1, 0, "run 2"), run: 2 });
    const range = { from: 0, before: 10, limit: 10 };
    assert.equal((await store.range({ ...plan, run: 1, ...range })).length, 1);
    assert.equal((await store.range({ ...plan, run: 2, ...range })).length, 1);
    assert.deepEqual(await store.range({ ...plan, tenant: "other", run: 1, ...range }), []);
    assert.deepEqual(await store.range({ ...newPlan(), run: 1, ...range }), []);
  });
}
