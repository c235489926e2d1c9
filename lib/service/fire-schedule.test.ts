import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ConflictError, InfrastructureError, ValidationError } from "../errors/planledger-error.ts";
import { silentLog } from "../log/log.ts";
import { cronTimes } from "../schedule/cron-times.ts";
import { memoryTimedRecords } from "../schedule/memory-timed-records.ts";
import type { PlanSchedule } from "../schedule/plan-schedule.ts";
import { savedSchedule } from "../schedule/schedule-moves.ts";
import { deletedRecord } from "../schedule/timed-record.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { fireSchedule } from "./fire-schedule.ts";
import { lookAtDue } from "./look-at-due.ts";
import { type AtCall, Killed, type SteppedProcess, steppedProcess } from "./stepped-process.testkit.ts";

const key = { tenant: "acme", name: "often" };
const minuteMs = 60_000;
const endlessField = `/args/${"path".repeat(10_000)}`;
const startEpochMs = Date.UTC(2026, 10, 30, 10, 0, 30);

/** One schedule, every minute, and the plans that were submitted for it: the same id with another document is a conflict. */
async function firingWorld() {
  let nowEpochMs = startEpochMs;
  const records = memoryTimedRecords();
  const schedules = records.store<PlanSchedule>("schedules");
  const plans = new Map<string, { readonly body: string; readonly principal: string }>();
  let fault: "none" | "outage" | "refusal" = "none";
  const clock = { now: () => nowEpochMs };
  const plan = {
    async submit({ planId, body, caller }: { planId: string; body: unknown; caller: { principal: string } }) {
      if (fault === "outage") throw new InfrastructureError({ message: "The table is away." });
      if (fault === "refusal") {
        throw new ValidationError({
          field: endlessField,
          code: "input_invalid",
          message: "/args/path is wrong.",
        });
      }
      const text = JSON.stringify(body);
      const standing = plans.get(planId) ?? { body: text, principal: caller.principal };
      if (standing.body !== text)
        throw new ConflictError({ code: "plan_exists", message: "There is another." });
      plans.set(planId, standing);
    },
  };
  const save = async (path: string) => {
    const standing = await schedules.get(key);
    const order = {
      ...{ ...key, cron: "* * * * *", timeZone: "UTC", principal: "ada", savedBy: "ada", paused: false },
      request: { action: "local/tidy", args: { path } },
    };
    // Whoever edits at the same moment as a tick does it again, as the service does.
    if (!(await schedules.put(savedSchedule(standing, order, nowEpochMs)))) await save(path);
  };
  await save("first");
  return {
    plans,
    save,
    advance(byMs: number) {
      nowEpochMs += byMs;
    },
    now: () => nowEpochMs,
    breaks(how: typeof fault) {
      fault = how;
    },
    async delete() {
      const standing = await schedules.get(key);
      if (standing !== undefined) await schedules.put(deletedRecord(standing));
    },
    async schedule(): Promise<PlanSchedule> {
      const standing = await schedules.get(key);
      if (standing === undefined || !("runs" in standing)) throw new Error("the schedule is gone");
      return standing;
    },
    async tick(process: SteppedProcess): Promise<void> {
      const ports = {
        schedules: process.ports(schedules),
        submit: process.ports(plan).submit,
        ...{ clock, log: silentLog },
      };
      await lookAtDue({
        due: process.ports(records),
        look: {
          async schedules(due) {
            try {
              return await fireSchedule(ports, due);
            } catch (thrown) {
              if (thrown instanceof Killed) return false;
              throw thrown;
            }
          },
          sources: async () => false,
        },
        hasTime: () => true,
        ...{ clock, log: silentLog },
      }).catch((thrown: unknown) => {
        if (!(thrown instanceof Killed)) throw thrown;
      });
    },
  };
}

type World = Awaited<ReturnType<typeof firingWorld>>;
const calm = (): SteppedProcess => steppedProcess({});

/** Ticks until nothing is due or under way. */
async function settle(world: World): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    await world.tick(calm());
    const { firing } = await world.schedule();
    if (firing === undefined) {
      await world.tick(calm());
      return;
    }
    world.advance(Math.max(0, firing.retryAtEpochMs - world.now()));
  }
  throw new Error("it does not settle");
}

/** Every time from the save to now was submitted, failed or missed, each once; and each submission is one plan. */
async function assertEveryTimeOnce(world: World): Promise<void> {
  const { runs } = await world.schedule();
  const times = cronTimes({ cron: "* * * * *", timeZone: "UTC" });
  const between = (fromEpochMs: number, toEpochMs: number) =>
    times.between({ fromEpochMs, toEpochMs, limit: 100 });
  const told = runs.flatMap((run) =>
    run.outcome === "missed" ? between(run.forEpochMs, run.untilEpochMs) : [run.forEpochMs],
  );
  for (const run of runs) {
    if (run.outcome === "missed") assert.equal(run.count, between(run.forEpochMs, run.untilEpochMs).length);
  }
  const passed = between(startEpochMs, world.now());
  // Only so many runs are kept: the stories here make fewer.
  assert.ok(runs.length < 20);
  assert.deepEqual(told.toSorted(), passed.toSorted());
  const submitted = runs.flatMap((run) => (run.outcome === "submitted" ? [run.planId] : []));
  assert.deepEqual(submitted.toSorted(), [...world.plans.keys()].toSorted());
}

const everyPlace = async (): Promise<readonly AtCall[]> => {
  const world = await firingWorld();
  const process = calm();
  world.advance(minuteMs);
  await world.tick(process);
  assert.equal(process.calls(), 6);
  return [1, 2, 3, 4, 5, 6].flatMap((call) => [
    { call, when: "before" as const },
    { call, when: "after" as const },
  ]);
};

test("a tick that is killed at any call is brought to its end by a later one, as the same one plan", async () => {
  for (const dies of await everyPlace()) {
    const world = await firingWorld();
    world.advance(minuteMs);
    await world.tick(steppedProcess({ dies }));
    await world.save("edited");
    await settle(world);
    await assertEveryTimeOnce(world);
    const { runs } = await world.schedule();
    assert.ok(
      runs.every(({ outcome }) => outcome !== "failed"),
      JSON.stringify(runs),
    );
  }
});

test("a schedule that is deleted while it fires stays deleted", async () => {
  for (const at of await everyPlace()) {
    const world = await firingWorld();
    world.advance(minuteMs);
    await world.tick(steppedProcess({ holds: { at, hold: () => world.delete() } }));
    world.advance(60 * minuteMs);
    const before = world.plans.size;
    await world.tick(calm());
    assert.equal(world.plans.size, before);
    await assert.rejects(world.schedule(), /gone/);
  }
});

test("a submission that is refused is a failed run with the field at fault, and the next time is tried", async () => {
  const world = await firingWorld();
  world.breaks("refusal");
  world.advance(minuteMs);
  await world.tick(calm());
  const [failed] = (await world.schedule()).runs;
  assert.ok(failed?.outcome === "failed");
  assert.deepEqual(failed.problem, {
    code: "input_invalid",
    message: "/args/path is wrong.",
    // Of twenty such the schedule would be more than an item of the table may hold.
    field: endlessField.slice(0, 1_000),
  });
  world.breaks("none");
  world.advance(minuteMs);
  await world.tick(calm());
  assert.equal((await world.schedule()).runs[0]?.outcome, "submitted");
});

test("an outage is waited for: the time is submitted once it is over, and what passed meanwhile is told", async () => {
  const world = await firingWorld();
  world.advance(minuteMs);
  world.breaks("outage");
  await world.tick(calm());
  assert.deepEqual((await world.schedule()).runs, []);
  world.advance(5 * minuteMs);
  world.breaks("none");
  await settle(world);
  await assertEveryTimeOnce(world);
  assert.equal(world.plans.size, 2);
});

test("another's plan under the id of a time is told as what is in the way", async () => {
  const world = await firingWorld();
  world.plans.set("schedule.often.20261130T100100Z", { body: "another", principal: "bob" });
  world.advance(minuteMs);
  await world.tick(calm());
  const [run] = (await world.schedule()).runs;
  assert.ok(run?.outcome === "failed" && run.problem.code === "plan_exists");
});

test("however ticks, edits, outages and deaths come between each other, every time is one plan or told", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("advance" as const), byMs: fc.constantFrom(20_000, 60_000, 130_000) }),
    fc.record({ kind: fc.constant("save" as const), path: fc.constantFrom("a", "b", "c") }),
    fc.record({ kind: fc.constant("break" as const), how: fc.constantFrom("none", "none", "outage") }),
    fc.record({
      kind: fc.constant("ticks" as const),
      dies: fc.array(
        fc.option(fc.record({ call: fc.nat({ max: 7 }), when: fc.constantFrom("before", "after") }), {
          nil: undefined,
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 9 }), async (scheduler, steps) => {
      const world = await firingWorld();
      const pause = scheduler.scheduleFunction(async () => undefined);
      for (const one of steps) {
        if (one.kind === "advance") world.advance(one.byMs);
        else if (one.kind === "save") await world.save(one.path);
        else if (one.kind === "break") world.breaks(one.how);
        else {
          const ticks = one.dies.map((dies) => world.tick(steppedProcess({ pause, dies })));
          await scheduler.waitFor(Promise.all(ticks));
        }
      }
      world.breaks("none");
      await settle(world);
      await assertEveryTimeOnce(world);
    }),
    { numRuns: propertyRuns(60) },
  );
});
