import assert from "node:assert/strict";
import { test } from "node:test";
import { requestGate } from "./request-gate.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Enters requests that stay inside until they are let go, and keeps who is inside. */
const visitors = (limits: { readonly maximumConcurrency: number; readonly maximumWaiting: number }) => {
  const gate = requestGate(limits);
  const inside: number[] = [];
  const leave = new Map<number, PromiseWithResolvers<string>>();
  return {
    inside,
    enter(number: number) {
      const leaving = Promise.withResolvers<string>();
      leave.set(number, leaving);
      return gate.enter(async () => {
        inside.push(number);
        try {
          return await leaving.promise;
        } finally {
          inside.splice(inside.indexOf(number), 1);
        }
      });
    },
    letGo: (number: number) => leave.get(number)?.resolve(`answer ${number}`),
    fail: (number: number) => leave.get(number)?.reject(new Error("broken")),
  };
};

test("so many are inside at once, the others follow in their order, also behind one that fails", async () => {
  const { inside, enter, letGo, fail } = visitors({ maximumConcurrency: 2, maximumWaiting: 3 });
  const [first, second, third, fourth, fifth] = [enter(1), enter(2), enter(3), enter(4), enter(5)];
  await turn();
  assert.deepEqual(inside, [1, 2]);
  assert.equal(await enter(6), undefined);
  fail(1);
  await assert.rejects(first ?? Promise.resolve(), /broken/);
  await turn();
  assert.deepEqual(inside, [2, 3]);
  letGo(3);
  letGo(2);
  assert.deepEqual(
    await Promise.all([second, third]),
    [2, 3].map((number) => ({ value: `answer ${number}` })),
  );
  await turn();
  assert.deepEqual(inside, [4, 5]);
  letGo(4);
  letGo(5);
  await Promise.all([fourth, fifth]);
  const late = enter(7);
  await turn();
  assert.deepEqual(inside, [7]);
  letGo(7);
  assert.deepEqual(await late, { value: "answer 7" });
});
