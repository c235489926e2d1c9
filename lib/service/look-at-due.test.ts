import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogRecord } from "../log/log.ts";
import type { DueKey } from "../schedule/timed-record-store.ts";
import { lookAtDue } from "./look-at-due.ts";

const keys: readonly DueKey[] = [
  { kind: "sources", tenant: "one", name: "broken" },
  { kind: "schedules", tenant: "two", name: "a" },
  { kind: "sources", tenant: "two", name: "a" },
  { kind: "schedules", tenant: "three", name: "b" },
];

test("a fault at one record is logged, and the others are looked at, each by its kind", async () => {
  const looked: string[] = [];
  const logged: LogRecord[] = [];
  const look =
    (kind: string) =>
    async ({ tenant, name }: { tenant: string; name: string }) => {
      if (name === "broken") throw new Error("broken");
      looked.push(`${kind} ${tenant} ${name}`);
      return kind === "schedules";
    };
  const outcome = await lookAtDue({
    due: { due: async () => keys },
    look: { schedules: look("schedules"), sources: look("sources") },
    hasTime: () => true,
    clock: { now: () => 5_500 },
    log: { write: (record) => logged.push(record) },
  });
  assert.deepEqual(looked.toSorted(), ["schedules three b", "schedules two a", "sources two a"]);
  assert.deepEqual(outcome, { due: 4, looks: 4, moved: 2, faults: 1 });
  assert.deepEqual(
    logged.map(({ event, tenant, schedule }) => [event, tenant, schedule]),
    [["look_failed", "one", "sources/broken"]],
  );
});

test("a tick asks for so many at once, by whole seconds, and begins nothing when its time is over", async () => {
  let left = 2;
  const asked: unknown[] = [];
  const outcome = await lookAtDue({
    due: {
      async due(query) {
        asked.push(query);
        return keys;
      },
    },
    look: { schedules: async () => true, sources: async () => true },
    hasTime: () => {
      left -= 1;
      return left >= 0;
    },
    clock: { now: () => 5_999 },
    log: { write() {} },
  });
  assert.deepEqual(asked, [{ nowEpochSeconds: 5, limit: 10_000 }]);
  assert.deepEqual([outcome.looks, outcome.moved], [2, 2]);
});

test("tenants take turns: one with thousands that are due keeps no other one waiting", async () => {
  const many = Array.from({ length: 3_000 }, (_, index): DueKey => {
    return { kind: "schedules", tenant: "busy", name: `s${index}` };
  });
  const looked: string[] = [];
  const look = async ({ tenant, name }: { tenant: string; name: string }) => {
    looked.push(`${tenant} ${name}`);
    return true;
  };
  // As they stand in the index: those of the others have not been due for as long.
  const outcome = await lookAtDue({
    due: { due: async ({ limit }) => [...many, ...keys].slice(0, limit) },
    look: { schedules: look, sources: look },
    hasTime: () => true,
    clock: { now: () => 5_500 },
    log: { write() {} },
  });
  assert.deepEqual(looked.slice(0, 7), [
    ...["busy s0", "one broken", "two a", "three b", "busy s1", "two a", "busy s2"],
  ]);
  assert.deepEqual([outcome.due, outcome.looks, looked.length], [3_004, 500, 500]);
});
