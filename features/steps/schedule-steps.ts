// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of actions look like JavaScript's.
import assert from "node:assert/strict";
import { Given, Then, When } from "@cucumber/cucumber";
import type { ScheduleReply } from "#lib/api/schedule-requests.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { type TimedService, timedService } from "../support/timed-service.ts";

const slow = { timeout: 120_000 };
let scenarios = 0;

interface Scene {
  readonly service: TimedService;
  readonly action: string;
  readonly schedule: string;
  revision: number;
  cron: string;
}

const scenes = new WeakMap<PlanWorld, Scene>();
const scene = (world: PlanWorld): Scene => {
  const known = scenes.get(world);
  assert.ok(known, "there is no service whose time is moved");
  return known;
};

const actionItem = (id: string, version: number, planName: string) => ({
  ...{ id, name: id, version: `${version}`, metadata: {} },
  arguments: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  plan: {
    name: planName,
    decisions: [
      {
        id: "note",
        toolCalls: [{ tool: "write_file", input: { path: "note.txt", content: "${{ args.text }}" } }],
      },
    ],
  },
});

async function writeAction(world: PlanWorld, planName: string): Promise<void> {
  const known = scene(world);
  const item = actionItem(known.action, known.revision + 1, planName);
  const { results } = await known.service.client.sync.batch({
    operations: [{ op: "put", kind: "actions", item, expectedRevision: known.revision }],
  });
  assert.equal(results[0]?.status, "written");
  known.revision += 1;
}

const save = (world: PlanWorld, args: Readonly<Record<string, unknown>>): Promise<ScheduleReply> => {
  const { service, schedule, cron, action } = scene(world);
  return service.client.schedules.save(schedule, { cron, action, args });
};
const read = (world: PlanWorld): Promise<ScheduleReply> => {
  const { service, schedule } = scene(world);
  return service.client.schedules.get(schedule);
};

Given(
  "an action that writes its argument {string} into a file",
  slow,
  async function (this: PlanWorld, argument: string) {
    assert.equal(argument, "text");
    const service = await timedService();
    scenarios += 1;
    scenes.set(this, {
      service,
      action: `features/note-${scenarios}`,
      schedule: `scheduled-${scenarios}`,
      revision: 0,
      cron: "",
    });
    await writeAction(this, "as it was");
  },
);

Given(
  "a schedule of that action with the cron expression {string}",
  async function (this: PlanWorld, cron: string) {
    scene(this).cron = cron;
    await save(this, { text: "first" });
  },
);

When(
  "the schedule's time comes, and the service looks {int} times",
  slow,
  async function (this: PlanWorld, looks: number) {
    const { service } = scene(this);
    const { nextRunAt } = await read(this);
    assert.ok(nextRunAt !== undefined);
    service.advance(Math.max(0, Date.parse(nextRunAt) - service.now()));
    await Promise.all(Array.from({ length: looks }, () => service.tick()));
  },
);

When("nobody looks while {int} of its times pass", async function (this: PlanWorld, times: number) {
  const { service } = scene(this);
  const { nextRunAt = "", cron } = await read(this);
  assert.equal(cron, "0 * * * *");
  service.advance(Date.parse(nextRunAt) - service.now() + (times - 1) * 3_600_000 + 60_000);
  await service.tick();
});

When("the action is changed", async function (this: PlanWorld) {
  await writeAction(this, "as it is");
});

When("the schedule is {word}", async function (this: PlanWorld, move: string) {
  const { service, schedule } = scene(this);
  if (move === "paused") await service.client.schedules.pause(schedule);
  else if (move === "resumed") await service.client.schedules.resume(schedule);
  else if (move === "deleted") await service.client.schedules.delete(schedule);
  else assert.fail(`a schedule cannot be ${move}`);
});

When("somebody tries to save the schedule without the argument", async function (this: PlanWorld) {
  await this.expectRefusal(() => save(this, {}));
});

Then("the schedule has submitted {int} plan(s)", async function (this: PlanWorld, count: number) {
  const { runs } = await read(this);
  const submitted = runs.filter(({ outcome }) => outcome === "submitted");
  assert.equal(submitted.length, count, JSON.stringify(runs));
});

Then("{int} of its times are told as missed", async function (this: PlanWorld, count: number) {
  const { runs } = await read(this);
  const missed = runs.flatMap((run) => (run.outcome === "missed" ? [run.count] : []));
  assert.deepEqual(missed, [count]);
});

Then("its last plan is called {string}, and completes", slow, async function (this: PlanWorld, name: string) {
  const { lastRun } = await read(this);
  assert.ok(lastRun?.outcome === "submitted", JSON.stringify(lastRun));
  const { client } = scene(this).service;
  for await (const _ of client.eventPages({ planId: lastRun.planId, follow: true })) {
    // Followed to the end.
  }
  const status = await client.planStatus({ planId: lastRun.planId });
  assert.deepEqual([status.name, status.phase], [name, "completed"]);
});

Then("the refusal is about {string}", function (this: PlanWorld, field: string) {
  assert.equal(this.refusal().details.field, field);
});

Then("the schedule is gone, and no plan of it comes any more", async function (this: PlanWorld) {
  const { service, schedule } = scene(this);
  service.advance(2 * 3_600_000);
  await service.tick();
  await assert.rejects(read(this), { code: "not_found" });
  for await (const { planId } of service.client.listPlans()) {
    assert.ok(!planId.startsWith(`schedule.${schedule}.`), planId);
  }
});

When("nobody looks while the pause lasts {int} hours", async function (this: PlanWorld, hours: number) {
  const { service } = scene(this);
  service.advance(hours * 3_600_000);
  await service.tick();
});
