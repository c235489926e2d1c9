import assert from "node:assert/strict";
import { before, test } from "node:test";
import { openingFrontier } from "./opening-frontier.ts";
import { fullFrontier, newRunRecord } from "./run-record.testkit.ts";
import type { RunRecord } from "./run-record.ts";
import type { FrontierStore, RunRecordStore } from "./run-store.ts";

/** The behaviour of every `FrontierStore` with its `RunRecordStore`. `open` is called once. */
export function frontierStoreContract(
  name: string,
  open: () => Promise<FrontierStore & RunRecordStore>,
): void {
  let store: FrontierStore & RunRecordStore;
  before(async () => {
    store = await open();
  });

  test(`${name}: what was never created is absent`, async () => {
    const run = newRunRecord();
    assert.equal(await store.read(run), undefined);
    assert.equal(await store.latest(run), undefined);
    assert.equal(await store.getRun(run), undefined);
  });

  test(`${name}: a run is created with its opening frontier, and reads back whole`, async () => {
    const run = newRunRecord({
      list: {
        kind: "ranges",
        ranges: [
          [0, 3],
          [7, 1],
        ],
      },
      correctionsSha256: "9".repeat(64),
      startsFrom: {
        chainHead: "1".repeat(64),
        ledgerHead: "2".repeat(64),
        lastSeq: 41,
        checkpoint: { sha256: "3".repeat(64), position: 0 },
      },
    });
    assert.deepEqual(await store.create(run), { run, frontier: openingFrontier(run) });
    assert.deepEqual(await store.read(run), openingFrontier(run));
    assert.deepEqual(await store.latest(run), openingFrontier(run));
    assert.deepEqual(await store.getRun(run), run);
  });

  test(`${name}: of two creators the first stands, and both are told so`, async () => {
    const run = newRunRecord();
    const other: RunRecord = { ...run, changesetId: "01KZZZZZZZZZZZZZZZZZZZZZZZ", requestedBy: "user:bob" };
    const answers = await Promise.all([store.create(run), store.create(other)]);
    assert.deepEqual(answers[0], answers[1]);
    const standing = answers[0].run.requestedBy === run.requestedBy ? run : other;
    assert.deepEqual(answers[0], { run: standing, frontier: openingFrontier(standing) });
  });

  test(`${name}: a later create answers the frontier as it was moved, and moves nothing`, async () => {
    const run = newRunRecord();
    const { frontier } = await store.create(run);
    const next = fullFrontier(frontier);
    assert.equal(await store.move(next), true);
    assert.deepEqual((await store.create(run)).frontier, next);
  });

  test(`${name}: a move is taken only on the revision that it was made for, and only once`, async () => {
    const { frontier } = await store.create(newRunRecord());
    const next = fullFrontier(frontier);
    assert.equal(await store.move(next), true);
    assert.deepEqual(await store.read(frontier), next);
    const stale = { ...frontier, revision: 1, position: 5 };
    assert.equal(await store.move(stale), false);
    assert.equal(await store.move({ ...next, revision: next.revision + 2 }), false);
    assert.deepEqual(await store.read(frontier), next);
  });

  test(`${name}: of many moves from one revision exactly one is taken`, async () => {
    const { frontier } = await store.create(newRunRecord());
    const moves = Array.from({ length: 8 }, (_, position) => ({ ...frontier, revision: 1, position }));
    const taken = await Promise.all(moves.map((move) => store.move(move)));
    assert.equal(taken.filter(Boolean).length, 1);
    assert.equal((await store.read(frontier))?.position, taken.indexOf(true));
  });

  test(`${name}: nothing is moved where nothing was created`, async () => {
    const frontier = openingFrontier(newRunRecord());
    assert.equal(await store.move({ ...frontier, revision: 1 }), false);
    assert.equal(await store.read(frontier), undefined);
  });

  test(`${name}: the latest frontier is the one of the highest run, also beyond nine`, async () => {
    const run = newRunRecord();
    for (let number = 1; number <= 11; number += 1) {
      await store.create({ ...run, run: number });
    }
    assert.equal((await store.latest(run))?.run, 11);
    assert.equal((await store.read({ ...run, run: 2 }))?.run, 2);
  });

  test(`${name}: the same plan id of another tenant is another plan`, async () => {
    const run = newRunRecord();
    await store.create(run);
    const other = { ...run, tenant: "other" };
    assert.equal(await store.read(other), undefined);
    assert.equal(await store.latest(other), undefined);
    assert.equal(await store.getRun(other), undefined);
  });
}
