import assert from "node:assert/strict";
import { test } from "node:test";
import type { Delivery } from "./delivery.ts";
import { keyOf } from "./delivery-moves.ts";
import type { DeliveryStore } from "./delivery-store.ts";

let plans = 0;
const newDelivery = (change: Partial<Delivery> = {}): Delivery => {
  plans += 1;
  return {
    v: 1,
    revision: 0,
    tenant: "acme",
    listener: "ops",
    atEpochSeconds: 1_790_000_000,
    planId: `plan-${plans}`,
    sequence: 3,
    webhookId: "01K",
    messageId: `msg_${plans}`,
    run: 1,
    phase: "completed",
    body: '{"type":"plan.phase_changed","näme":"\\u0000"}',
    state: { kind: "pending", dueAtEpochMs: 1_790_000_000_500 },
    attempts: [],
    lookAtEpochSeconds: 1_790_000_100,
    ...change,
  };
};

const settled = (delivery: Delivery, state: Delivery["state"] = { kind: "delivered" }): Delivery => {
  const { lookAtEpochSeconds: _, ...rest } = delivery;
  const outcome = { kind: "answered", status: 200 } as const;
  return {
    ...rest,
    revision: delivery.revision + 1,
    state,
    attempts: [
      ...delivery.attempts,
      { atEpochMs: 1, durationMs: 2, outcome: { kind: "failed", code: "timed_out", message: "late" } },
      { atEpochMs: 3, durationMs: 4, outcome },
    ],
  };
};

/** The behaviour of every `DeliveryStore`; stores of one name share what they hold. */
export function deliveryStoreContract(name: string, open: () => Promise<DeliveryStore>): void {
  test(`${name}: a delivery is opened once, and reads back whole`, async () => {
    const store = await open();
    const delivery = newDelivery();
    assert.equal(await store.get(delivery), undefined);
    const opened = await Promise.all([
      store.open(delivery),
      store.open({ ...delivery, messageId: "msg_other" }),
    ]);
    assert.deepEqual(opened.toSorted(), [false, true]);
    const standing = await store.get(keyOf(delivery));
    assert.deepEqual(standing, opened[0] ? delivery : { ...delivery, messageId: "msg_other" });
    assert.equal(await store.open(delivery), false);
  });

  test(`${name}: deliveries of other listeners, plans, sequences and tenants are others`, async () => {
    const store = await open();
    const delivery = newDelivery();
    await store.open(delivery);
    for (const change of [
      { listener: "other" },
      { planId: `${delivery.planId}x` },
      { sequence: 4 },
      { tenant: "globex" },
      { atEpochSeconds: 1_790_000_001 },
    ]) {
      assert.equal(await store.get({ ...delivery, ...change }), undefined, JSON.stringify(change));
    }
  });

  test(`${name}: a delivery is moved only on the revision that it was made for, and only once`, async () => {
    const store = await open();
    const delivery = newDelivery();
    await store.open(delivery);
    const next = settled(delivery);
    const moved = await Promise.all([store.move(next), store.move({ ...next, messageId: "msg_other" })]);
    assert.deepEqual(moved.toSorted(), [false, true]);
    assert.deepEqual(await store.get(delivery), moved[0] ? next : { ...next, messageId: "msg_other" });
    const reasoned = settled(next, { kind: "dropped", reason: "nobody wants it" });
    assert.equal(await store.move(reasoned), true);
    assert.deepEqual(await store.get(delivery), reasoned);
    assert.equal(await store.move({ ...newDelivery(), revision: 1 }), false);
  });

  test(`${name}: a listener's deliveries are listed newest first, page by page, and nobody else's`, async () => {
    const store = await open();
    const listener = `listed-${newDelivery().planId}`;
    const made = Array.from({ length: 7 }, (_, index) =>
      newDelivery({ listener, atEpochSeconds: 1_790_000_000 + index }),
    );
    for (const delivery of made.toSorted((one, other) => (one.messageId < other.messageId ? 1 : -1))) {
      await store.open(delivery);
    }
    await store.open(newDelivery({ listener: `${listener}x` }));
    await store.open(newDelivery({ listener, tenant: "globex" }));
    const listed: Delivery[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({
        tenant: "acme",
        listener,
        limit: 3,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(page.deliveries.length <= 3);
      listed.push(...page.deliveries);
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual(listed, made.toReversed());
    assert.deepEqual(await store.list({ tenant: "nobody", listener, limit: 3 }), { deliveries: [] });
  });

  test(`${name}: what is pending is due at its time, of every tenant; what is over never is`, async () => {
    const store = await open();
    const at = 1_600_000_000;
    const pending = newDelivery({ lookAtEpochSeconds: at });
    const foreign = newDelivery({ lookAtEpochSeconds: at, tenant: "globex" });
    const later = newDelivery({ lookAtEpochSeconds: at + 60 });
    const over = newDelivery({ lookAtEpochSeconds: at });
    for (const delivery of [pending, foreign, later, over]) await store.open(delivery);
    assert.equal(await store.move(settled(over)), true);
    const due = async (nowEpochSeconds: number) =>
      (await store.due({ nowEpochSeconds, limit: 100 })).map(({ planId }) => planId).toSorted();
    assert.deepEqual(await due(at - 1), []);
    assert.deepEqual(await due(at), [pending.planId, foreign.planId].toSorted());
    assert.deepEqual(await due(at + 60), [pending.planId, foreign.planId, later.planId].toSorted());
    assert.equal((await store.due({ nowEpochSeconds: at + 60, limit: 2 })).length, 2);
    assert.equal(await store.move({ ...later, revision: 1, lookAtEpochSeconds: at + 600 }), true);
    assert.deepEqual(await due(at + 60), [pending.planId, foreign.planId].toSorted());
    for (const delivery of [pending, foreign, { ...later, revision: 1 }]) {
      assert.equal(await store.move(settled(delivery)), true);
    }
    assert.deepEqual(await due(at + 1_000), []);
  });
}
