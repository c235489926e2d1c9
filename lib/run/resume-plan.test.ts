import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceRun } from "./advance-run.ts";
import { cancelPlan, pausePlan } from "./control-run.ts";
import type { Frontier } from "./frontier.ts";
import { readDecisions } from "./read-decisions.ts";
import { readEvents } from "./read-events.ts";
import { readFailures } from "./read-failures.ts";
import { type ResumeRequest, resumePlan } from "./resume-plan.ts";
import { maxControlEvents } from "./run-control.ts";
import { key, type MemoryWorld, memoryWorld } from "./run-plan.testkit.ts";
import { hintOf } from "./watch-hint.ts";

const by = "user:eve";
const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const failing = { tool: "delete_file", input: { path: "absent" } };
const document = {
  projectResources: { app: { project: "local/app" } },
  decisions: [
    { id: "d1", toolCalls: [write("a", "1")] },
    { id: "d2", toolCalls: [failing] },
    { id: "d3", dependsOn: ["d2"], toolCalls: [write("c", "3")] },
    { id: "d4", toolCalls: [write("d", "4")] },
  ],
};

async function advance(world: MemoryWorld, run: number): Promise<Frontier> {
  const deadlineEpochMs = world.clock.now() + 60_000;
  await advanceRun({ hint: hintOf({ ...key, run }), deadlineEpochMs, receiveCount: 1 }, world.ports);
  const frontier = await world.ports.frontiers.read({ ...key, run });
  assert.ok(frontier !== undefined);
  return frontier;
}

let changesets = 0;
const resume = (world: MemoryWorld, request: Partial<ResumeRequest> = {}) =>
  resumePlan(key, { by, ...request }, { ...world.ports, ids: { ulid: () => `FURTHER-${++changesets}` } });

async function failedRun(): Promise<{ readonly world: MemoryWorld; readonly ended: Frontier }> {
  const world = memoryWorld();
  await world.submit(document);
  const ended = await advance(world, 1);
  assert.equal(ended.state.phase, "failed");
  return { world, ended };
}

test("a further run takes what did not land, with corrected calls, and continues digest, ledger and tree", async () => {
  const { world, ended } = await failedRun();
  world.sent.length = 0;
  const further = await resume(world, { reason: "typo", toolCalls: { d2: [write("b", "2")] } });
  assert.equal(further.run, 2);
  assert.equal(further.decisionCount, 2);
  assert.equal(further.chainHead, ended.chainHead);
  assert.deepEqual(world.sent, [{ hint: hintOf(further), delaySeconds: 0 }]);
  const done = await advance(world, 2);
  assert.equal(done.state.phase, "completed");
  assert.notEqual(done.chainHead, ended.chainHead);
  const { decisions } = await readDecisions(key, { fromOrdinal: 0, limit: 10 }, world.ports);
  assert.deepEqual(
    decisions.map(({ decision, run, record }) => [decision.id, run, record?.outcome.status]),
    [
      ["d1", 1, "landed"],
      ["d2", 2, "landed"],
      ["d3", 2, "landed"],
      ["d4", 1, "landed"],
    ],
  );
  const before = await readDecisions({ ...key, run: 1 }, { fromOrdinal: 1, limit: 2 }, world.ports);
  assert.deepEqual(
    before.decisions.map(({ record }) => record?.outcome.status),
    ["failed", "skipped"],
  );
  const { events, ended: over } = await readEvents(key, { limit: 100 }, world.ports);
  assert.deepEqual(
    events.map(({ seq, run, type, by: who }) => [seq, run, type.replace("runtime_execute_", ""), who]),
    [
      [1, 1, "started", "user:ann"],
      [2, 1, "step", "service"],
      [3, 1, "failed", "service"],
      [4, 1, "skipped", "service"],
      [5, 1, "step", "service"],
      [6, 1, "complete", "service"],
      [7, 1, "resumed", by],
      [8, 2, "started", by],
      [9, 2, "step", "service"],
      [10, 2, "step", "service"],
      [11, 2, "complete", "service"],
    ],
  );
  assert.equal(over, true);
});

test("corrections stay in force for later runs, and a run without any repeats what failed", async () => {
  const { world } = await failedRun();
  await resume(world, { toolCalls: { d3: [write("c", "three")] } });
  const second = await advance(world, 2);
  assert.equal(second.state.phase, "failed");
  const { failures, truncated } = await readFailures(second, world.ports);
  assert.deepEqual(
    failures.map(({ decisionId, outcome }) => [decisionId, outcome.status]),
    [
      ["d2", "failed"],
      ["d3", "skipped"],
    ],
  );
  assert.equal(truncated, false);
  await resume(world, { toolCalls: { d2: [write("b", "2")] } });
  assert.equal((await advance(world, 3)).state.phase, "completed");
  const { decisions } = await readDecisions(key, { fromOrdinal: 2, limit: 1 }, world.ports);
  assert.deepEqual(decisions[0]?.decision.toolCalls, [write("c", "three")]);
});

test("the same resume again, or at the same time, opens one run and gets one answer (R34)", async () => {
  const { world } = await failedRun();
  const request = { toolCalls: { d2: [write("b", "2")] } };
  const answers = await Promise.all([resume(world, request), resume(world, request)]);
  assert.equal(answers[0].changesetId, answers[1].changesetId);
  assert.equal((await resume(world, request)).changesetId, answers[0].changesetId);
  assert.equal((await world.ports.frontiers.latest(key))?.run, 2);
});

test("of two different resumes at once one wins, the other is told which run stands in its way", async () => {
  const { world } = await failedRun();
  const settled = await Promise.allSettled([
    resume(world, { toolCalls: { d2: [write("b", "2")] } }),
    resume(world, { toolCalls: { d2: [write("b", "two")] } }),
  ]);
  const refused = settled.filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 1);
  assert.equal(refused[0]?.status === "rejected" && refused[0].reason.code, "plan_running");
  await assert.rejects(resume(world, { toolCalls: { d3: [] } }), {
    code: "plan_running",
    details: { run: 2, phase: "submitted" },
  });
});

test("corrections of decisions that are unknown or landed are refused at their field", async () => {
  const { world } = await failedRun();
  await assert.rejects(resume(world, { toolCalls: { nope: [] } }), { field: "/toolCalls/nope" });
  await assert.rejects(resume(world, { toolCalls: { d1: [] } }), { field: "/toolCalls/d1" });
  await assert.rejects(resume(world, { toolCalls: { __proto__x: [] } }), { field: "/toolCalls/__proto__x" });
  assert.equal((await world.ports.frontiers.latest(key))?.run, 1);
});

test("a cancelled plan goes on with what it never came to; what landed stays as it was (F23)", async () => {
  const world = memoryWorld();
  await world.submit(document);
  await cancelPlan(key, { by, reason: "not now" }, world.ports);
  const cancelled = await advance(world, 1);
  assert.equal(cancelled.state.phase, "cancelled");
  assert.equal(cancelled.position, 0);
  const further = await resume(world);
  assert.equal(further.decisionCount, 4);
  assert.equal((await advance(world, 2)).counts.landed, 2);
});

test("what cannot be resumed, paused or cancelled says in which phase it is", async () => {
  const world = memoryWorld();
  await assert.rejects(resume(world), { code: "not_found" });
  await world.submit({ ...document, decisions: [{ id: "d1", toolCalls: [] }] });
  assert.equal((await advance(world, 1)).state.phase, "completed");
  for (const refused of [
    () => resume(world),
    () => pausePlan(key, { by }, world.ports),
    () => cancelPlan(key, { by }, world.ports),
  ]) {
    await assert.rejects(refused, { code: "phase_conflict", details: { phase: "completed", run: 1 } });
  }
});

test("a plan that is paused and resumed without end is refused further pauses, and can still be cancelled", async () => {
  const world = memoryWorld();
  await world.submit(document);
  for (let moves = 0; moves < maxControlEvents; moves += 2) {
    await pausePlan(key, { by }, world.ports);
    assert.equal((await pausePlan(key, { by }, world.ports)).state.phase, "paused");
    await resume(world);
  }
  await assert.rejects(pausePlan(key, { by }, world.ports), { code: "too_many_control_moves" });
  const cancelled = await cancelPlan(key, { by }, world.ports);
  assert.equal(cancelled.state.phase, "cancelled");
  const { events } = await readEvents(key, { limit: 1_000 }, world.ports);
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: maxControlEvents + 1 }, (_, index) => index + 1),
  );
});
