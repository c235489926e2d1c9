import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { randomPlan } from "./random-plan.testkit.ts";
import { runSchedule } from "./run-model.testkit.ts";
import { assertScheduleHolds } from "./run-model-invariants.testkit.ts";

const numRuns = Number(process.env.MODEL_RUNS ?? 150);

/** Shrinking runs hundreds of schedules; it is for whoever looks for the cause (`MODEL_SHRINK=1`). */
const endOnFailure = process.env.MODEL_SHRINK === undefined;
const options = { numRuns, endOnFailure };

const schedule = (most: { readonly faults: number; readonly controls: number }) =>
  fc.record({
    seed: fc.integer(),
    plan: randomPlan,
    faults: fc.nat(most.faults),
    controls: fc.nat(most.controls),
  });

test("whatever is delivered twice, late, or dies, a run comes to the one serial result (F1, F4)", async () => {
  await fc.assert(
    fc.asyncProperty(schedule({ faults: 12, controls: 0 }), async (chosen) => {
      await assertScheduleHolds(await runSchedule(chosen));
    }),
    options,
  );
});

test("pauses, cancels and resumes at any moment let nothing become final that they forbid", async () => {
  await fc.assert(
    fc.asyncProperty(schedule({ faults: 8, controls: 6 }), async (chosen) => {
      await assertScheduleHolds(await runSchedule(chosen));
    }),
    options,
  );
});

test("without faults and controls the same holds, so that the model tests something", async () => {
  const plan = {
    projectResources: { app: { project: "local/app" } },
    decisions: [
      { id: "d0", dependsOn: [], toolCalls: [{ tool: "append", input: { path: "a.txt", text: "x" } }] },
      { id: "d1", dependsOn: ["d0"], toolCalls: [{ tool: "charge", input: { amount: 3 } }] },
      { id: "d2", dependsOn: [], toolCalls: [{ tool: "delete_file", input: { path: "gone.txt" } }] },
      { id: "d3", dependsOn: ["d2"], toolCalls: [] },
    ],
  };
  const { world, answers } = await runSchedule({ seed: 1, plan, faults: 0, controls: 0 });
  await assertScheduleHolds({ world, answers });
  assert.equal(world.effects.length, 1);
  const frontier = world.history.at(-1);
  assert.deepEqual(frontier?.counts, { landed: 2, failed: 1, skipped: 1, toolCalls: 3, entries: 1 });
});
