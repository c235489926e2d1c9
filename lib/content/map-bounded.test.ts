import assert from "node:assert/strict";
import { test } from "node:test";
import { mapBounded } from "./map-bounded.ts";

test("results come in the order of the items, whichever ends first", async () => {
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const mapped = mapBounded(gates, 5, async (gate) => {
    await gate.promise;
    return gates.indexOf(gate);
  });
  for (const gate of [...gates].reverse()) gate.resolve();
  assert.deepEqual(await mapped, [0, 1, 2, 3, 4]);
  assert.deepEqual(await mapBounded([], 5, async () => 1), []);
});

test("after a fault nothing is begun, and it is thrown when nothing is under way any more", async () => {
  const begun: number[] = [];
  const slow = Promise.withResolvers<void>();
  let ended = false;
  const mapped = mapBounded([0, 1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 0) throw new Error("broken");
    await slow.promise;
    ended = true;
  });
  slow.resolve();
  await assert.rejects(mapped, /broken/);
  assert.ok(ended);
  assert.deepEqual(begun, [0, 1]);
});
