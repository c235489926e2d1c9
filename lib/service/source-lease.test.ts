import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { runTimeMs, type SourceWorld, sourceWorld } from "./source-world.testkit.ts";
import { type AtCall, type SteppedProcess, steppedProcess } from "./stepped-process.testkit.ts";

const calm = (): SteppedProcess => steppedProcess({});

/** Ticks and works until nothing is left to do, with time to spare between. */
async function settle(world: SourceWorld): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    world.clock.advance(runTimeMs + 60_000);
    await world.tick(calm());
    while (world.words > 0) await world.work(calm());
  }
}

/** The tenant is as the source, no run ever saw a conflict or an error, all runs are on record, and one more changes nothing. */
async function assertAsUndisturbed(world: SourceWorld): Promise<void> {
  assert.deepEqual(await world.here(), world.thereNow());
  const runs = await world.runs();
  for (const run of runs) {
    if (!("summary" in run)) continue;
    assert.deepEqual([run.summary.conflicts, run.summary.errors], [[], []], `run ${run.run}`);
  }
  const { runs: count, lease } = await world.source();
  assert.equal(lease, undefined);
  assert.deepEqual(
    runs.map(({ run }) => run),
    Array.from({ length: Math.min(count, 50) }, (_, index) => count - index),
  );
  assert.deepEqual(world.overlaps, []);
  const [latest] = runs;
  assert.ok(latest?.outcome === "completed", JSON.stringify(latest));
  assert.deepEqual([latest.summary.pulled, latest.summary.deleted], [0, 0]);
}

/** A source that was synced once, and changed since. */
async function changedWorld(): Promise<SourceWorld> {
  const world = await sourceWorld();
  for (const id of ["team/a", "team/b", "team/c", "team/d"]) world.write(id, `first ${id}`);
  await world.tick(calm());
  assert.equal(await world.work(calm()), "completed");
  world.write("team/a", "second", "2");
  world.write("team/e", "new");
  world.remove("team/b");
  world.clock.advance(15 * 60_000);
  await world.tick(calm());
  return world;
}

const undisturbedCalls = async (): Promise<number> => {
  const process = calm();
  const world = await changedWorld();
  assert.equal(await world.work(process), "completed");
  return process.calls();
};

const everyPlace = async (): Promise<readonly AtCall[]> => {
  const calls = await undisturbedCalls();
  assert.ok(calls > 15, `${calls} calls`);
  return Array.from({ length: calls }, (_, index) => index + 1).flatMap((call) => [
    { call, when: "before" as const },
    { call, when: "after" as const },
  ]);
};

test("F26: a run that is killed at any call goes on once its lease is over, and ends as the undisturbed run does", async () => {
  for (const dies of await everyPlace()) {
    const world = await changedWorld();
    assert.equal(await world.work(steppedProcess({ dies })), "killed");
    // Its word may come again, and find the lease.
    if ((await world.source()).lease !== undefined) assert.equal(await world.work(calm()), "nothing");
    await settle(world);
    await assertAsUndisturbed(world);
  }
});

test("a run that stands still beyond its lease, while others go on, does no harm when it wakes up", async () => {
  for (const at of await everyPlace()) {
    const world = await changedWorld();
    let wake = (): void => undefined;
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const fallen = Promise.withResolvers<void>();
    const sleeper = world.work(
      steppedProcess({
        holds: {
          at,
          hold: () => {
            fallen.resolve();
            return asleep;
          },
        },
      }),
    );
    await fallen.promise;
    world.write("team/a", "third", "3");
    await settle(world);
    world.write("team/a", "fourth", "4");
    world.remove("team/c");
    await settle(world);
    wake();
    const outcome = await sleeper;
    assert.ok(["lost", "completed", "nothing", "failed", "unfinished"].includes(outcome), outcome);
    await settle(world);
    await assertAsUndisturbed(world);
  }
});

test("a tick that is killed at any call is made up for by the next", async () => {
  for (let call = 1; call <= 5; call += 1) {
    for (const when of ["before", "after"] as const) {
      const world = await changedWorld();
      assert.equal(await world.work(steppedProcess({ dies: { call: 6, when: "after" } })), "killed");
      world.clock.advance(runTimeMs + 60_000);
      await world.tick(steppedProcess({ dies: { call, when } })).catch(() => undefined);
      await settle(world);
      await assertAsUndisturbed(world);
    }
  }
});

test("word of a source is not for nothing when the tick that sent it writes at the same moment", async () => {
  const world = await sourceWorld();
  world.write("team/a", "first");
  const meeting = steppedProcess({
    holds: { at: { call: 1, when: "after" }, hold: () => world.tick(calm()) },
  });
  assert.equal(await world.work(meeting), "completed");
});

test("however ticks and workers come between each other, one runs at a time, and the tenant ends as the source", async () => {
  const story = fc.record({
    workers: fc.integer({ min: 1, max: 3 }),
    ticks: fc.integer({ min: 0, max: 2 }),
    jumps: fc.array(fc.constantFrom(1_000, 60_000, runTimeMs + 20_000, 2 * runTimeMs), { maxLength: 3 }),
    edits: fc.array(fc.tuple(fc.constantFrom("team/a", "team/c", "team/f"), fc.integer({ min: 3, max: 9 })), {
      maxLength: 3,
    }),
    dies: fc.option(
      fc.record({ call: fc.integer({ min: 1, max: 40 }), when: fc.constantFrom("before", "after") }),
      { nil: undefined },
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), story, async (scheduler, { workers, ticks, jumps, edits, dies }) => {
      const world = await changedWorld();
      const pause = scheduler.scheduleFunction(async () => undefined);
      const process = (index: number) => steppedProcess({ pause, dies: index === 0 ? dies : undefined });
      const all = [
        ...Array.from({ length: workers }, (_, index) => world.work(process(index))),
        ...Array.from({ length: ticks }, () => world.tick(process(1))),
        ...jumps.map(async (byMs) => {
          await pause();
          world.clock.advance(byMs);
        }),
        ...edits.map(async ([id, version]) => {
          await pause();
          world.write(id, `text ${version}`, `${version}`);
        }),
      ];
      await scheduler.waitFor(Promise.all(all));
      await settle(world);
      await assertAsUndisturbed(world);
    }),
    { numRuns: propertyRuns(100) },
  );
});
