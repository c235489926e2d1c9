import assert from "node:assert/strict";
import { test } from "node:test";
import type { Amount, MeterKey, QuotaStore, Taking } from "./quota-store.ts";

/** The behaviour of every `QuotaStore`. `open` is called once for each test; other counts may stand in the store. */
export function quotaStoreContract(name: string, open: () => QuotaStore): void {
  let meters = 0;
  const fresh = (): MeterKey => {
    meters += 1;
    return { tenant: `${name.replaceAll(/\W/g, "")}-${meters}`, meter: "submissions" };
  };
  const taking = (
    windowEpochSeconds: number,
    windowed: Readonly<Record<string, Amount>>,
    lasting: Readonly<Record<string, Amount>> = {},
  ): Taking => ({ windowEpochSeconds, windowed, lasting });
  const plan = { plans: { amount: 1, limit: 3 }, decisions: { amount: 40, limit: 100 } };

  test(`${name}: counts add up until one has reached its limit; then nothing is added at all`, async () => {
    const [store, key] = [open(), fresh()];
    assert.deepEqual(await store.take(key, taking(60, plan)), {
      kind: "taken",
      row: { windowEpochSeconds: 60, counts: { plans: 1, decisions: 40 } },
    });
    await store.take(key, taking(60, plan));
    // The one that passes the limit is still taken.
    const third = await store.take(key, taking(60, plan));
    const row = { windowEpochSeconds: 60, counts: { plans: 3, decisions: 120 } };
    assert.deepEqual(third, { kind: "taken", row });
    const refused = { kind: "full", full: ["plans", "decisions"], row };
    assert.deepEqual(await store.take(key, taking(60, plan)), refused);
    assert.deepEqual(await store.take(key, taking(60, plan)), refused);
    const wider = { ...plan, plans: { amount: 1, limit: 10 } };
    assert.deepEqual(await store.take(key, taking(60, wider)), { ...refused, full: ["decisions"] });
  });

  test(`${name}: a window begins at nothing; one that lies behind counts in the one that stands`, async () => {
    const [store, key] = [open(), fresh()];
    for (let i = 0; i < 3; i += 1) await store.take(key, taking(60, plan));
    const begun = await store.take(key, taking(120, plan));
    assert.deepEqual(begun, {
      kind: "taken",
      row: { windowEpochSeconds: 120, counts: { plans: 1, decisions: 40 } },
    });
    const behind = await store.take(key, taking(60, plan));
    assert.deepEqual(behind, {
      kind: "taken",
      row: { windowEpochSeconds: 120, counts: { plans: 2, decisions: 80 } },
    });
    await store.take(key, taking(60, plan));
    assert.equal((await store.take(key, taking(60, plan))).kind, "full");
  });

  test(`${name}: a lasting count goes on through windows until it is corrected`, async () => {
    const [store, key] = [open(), fresh()];
    const open2 = { openRuns: { amount: 1, limit: 2 } };
    for (const window of [60, 120]) {
      assert.equal((await store.take(key, taking(window, plan, open2))).kind, "taken");
    }
    const refused = await store.take(key, taking(180, plan, open2));
    assert.ok(refused.kind === "full");
    assert.deepEqual(refused.full, ["openRuns"]);
    assert.equal(refused.row.counts.openRuns, 2);
    const correction = { name: "openRuns", to: 0, atEpochSeconds: 181 };
    assert.equal(await store.correct(key, { ...correction, from: 1 }), false);
    assert.equal(await store.correct(key, { ...correction, from: 2 }), true);
    assert.equal(await store.correct(key, { ...correction, from: 2 }), false);
    const taken = await store.take(key, taking(180, plan, open2));
    assert.deepEqual(taken, {
      kind: "taken",
      row: {
        windowEpochSeconds: 180,
        counts: { plans: 1, decisions: 40, openRuns: 1 },
        correctedAtEpochSeconds: 181,
      },
    });
  });

  test(`${name}: of many at once, as many are taken as the limit has room for, also at a window's begin`, async () => {
    const [store, key] = [open(), fresh()];
    const one = { plans: { amount: 1, limit: 5 } };
    for (const window of [60, 120]) {
      const outcomes = await Promise.all(
        Array.from({ length: 9 }, () => store.take(key, taking(window, one))),
      );
      assert.equal(outcomes.filter(({ kind }) => kind === "taken").length, 5);
    }
  });

  test(`${name}: tenants and meters do not count for each other`, async () => {
    const [store, key] = [open(), fresh()];
    const one = { plans: { amount: 1, limit: 1 } };
    assert.equal((await store.take(key, taking(60, one))).kind, "taken");
    assert.equal((await store.take({ ...key, meter: "requests" }, taking(60, one))).kind, "taken");
    assert.equal((await store.take({ ...key, tenant: `${key.tenant}x` }, taking(60, one))).kind, "taken");
    assert.equal((await store.take(key, taking(60, one))).kind, "full");
  });
}
