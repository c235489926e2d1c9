import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Fault, seededChoices } from "#lib/run/simulation.testkit.ts";
import {
  type ApplyModel,
  applyModel,
  assertApplyHolds,
  finish,
  type Rival,
  runApplySchedule,
  settleAll,
} from "./apply-model.testkit.ts";

const numRuns = Number(process.env.MODEL_RUNS ?? 120);

/** Without faults: the same digest again ends in the new tree, and in one revision. */
async function assertRepeatLands(model: ApplyModel): Promise<void> {
  model.start("apply");
  await finish(model.sim);
  await settleAll(model);
  assert.ok(await assertApplyHolds(model));
  assert.equal((await model.scene.status()).phase, "applied");
}

const rivalsOf = (...rivals: readonly Rival[]) =>
  fc.record({
    seed: fc.integer(),
    faults: fc.nat(6),
    rivals: fc.array(fc.constantFrom<Rival>("apply", ...rivals), { minLength: 1, maxLength: 5 }),
  });

async function schedule(
  run: "completed" | "failed",
  chosen: { readonly seed: number; readonly faults: number; readonly rivals: readonly Rival[] },
): Promise<ApplyModel> {
  const model = await applyModel(run);
  const rivals: readonly Rival[] = ["apply", ...chosen.rivals];
  await runApplySchedule(model, { ...chosen, rivals, choices: seededChoices(chosen.seed) });
  return model;
}

test("F13: applies at once, duplicates and crashes at every await: the old tree or the new one, and a repeat ends in the new one", async () => {
  await fc.assert(
    fc.asyncProperty(rivalsOf("put_elsewhere", "bury"), async (chosen) => {
      const model = await schedule("completed", chosen);
      try {
        await assertApplyHolds(model);
        if ((await model.scene.status()).phase !== "applied") await assertRepeatLands(model);
      } finally {
        model.sim.end();
      }
    }),
    { numRuns },
  );
});

test("an apply that races a project's writer, a reject and a resume lands whole or not at all, and never after either", async () => {
  await fc.assert(
    fc.asyncProperty(rivalsOf("reject", "resume", "put_in_the_way"), async (chosen) => {
      const model = await schedule("failed", chosen);
      try {
        await assertApplyHolds(model);
      } finally {
        model.sim.end();
      }
    }),
    { numRuns },
  );
});

/** Finishes what is under way, with one fault; how many calls of ports there were. */
async function finishWithFault(
  { sim }: ApplyModel,
  { at, fault }: { readonly at: number; readonly fault: Fault },
): Promise<number> {
  for (let met = 0; ; met += 1) {
    await sim.settle();
    const [next] = sim.waiting;
    if (next === undefined) return met;
    sim.proceed(next, met === at ? fault : "none");
  }
}

for (const fault of ["crash", "crash_after", "throttle", "applied_but_errored"] as const) {
  test(`F21: whichever await of the worker ends in ${fault}, the next delivery ends in one revision`, async () => {
    let at = 0;
    for (let fired = true; fired; at += 1) {
      const model = await applyModel("completed");
      try {
        model.start("apply");
        await finish(model.sim);
        const [hint] = model.sent;
        assert.ok(hint);
        model.deliver(hint);
        fired = (await finishWithFault(model, { at, fault })) > at;
        await settleAll(model);
        assert.ok(await assertApplyHolds(model), `await ${at}`);
        assert.equal((await model.scene.status()).phase, "applied");
      } finally {
        model.sim.end();
      }
    }
    assert.ok(at > 15, `${at} awaits`);
  });
}

/** An apply whose worker has written the revision and not told the plan of it; the worker's next call waits. */
async function writtenAndUntold(): Promise<ApplyModel> {
  const model = await applyModel("completed");
  model.start("apply");
  await finish(model.sim);
  const [hint] = model.sent;
  assert.ok(hint);
  model.deliver(hint);
  for (let written = false; !written; ) {
    await model.sim.settle();
    const [next] = model.sim.waiting;
    assert.ok(next);
    written = next.call === "resources.put";
    model.sim.proceed(next, "none");
  }
  await model.sim.settle();
  return model;
}

for (const later of [false, true]) {
  test(`an apply that is given up although its revision was written is made right by the next one${later ? ", behind a later revision too" : ""}`, async () => {
    const model = await writtenAndUntold();
    for (const { task } of [...model.sim.waiting]) model.sim.kill(task);
    for (const rival of later ? (["bury", "put_elsewhere"] as const) : (["bury"] as const)) {
      model.start(rival);
      await finish(model.sim);
    }
    assert.equal((await model.scene.status()).phase, "completed");
    assert.equal((await model.scene.revisions()).length, later ? 3 : 2);
    await assertRepeatLands(model);
    model.sim.end();
  });
}

test("a worker that comes back after its apply was given up tells the plan of the revision that it wrote", async () => {
  const model = await writtenAndUntold();
  const [parked] = model.sim.waiting;
  assert.ok(parked);
  model.start("bury");
  for (;;) {
    await model.sim.settle();
    const next = model.sim.waiting.find(({ task }) => task !== parked.task);
    if (next === undefined) break;
    model.sim.proceed(next, "none");
  }
  assert.equal((await model.scene.status()).phase, "completed");
  await finish(model.sim);
  assert.ok(await assertApplyHolds(model));
  assert.equal((await model.scene.status()).phase, "applied");
  model.sim.end();
});
