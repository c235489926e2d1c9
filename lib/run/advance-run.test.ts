import assert from "node:assert/strict";
import { test } from "node:test";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { Tool } from "../tools/tool.ts";
import { type AdvanceOutcome, advanceRun } from "./advance-run.ts";
import { cancelPlan, pausePlan, resumePaused } from "./control-run.ts";
import { deadLetter } from "./dead-letter.ts";
import { reconcileRuns } from "./reconcile-runs.ts";
import { isSigned, key, type MemoryWorld, memoryWorld } from "./run-plan.testkit.ts";
import type { RunPorts } from "./run-ports.ts";
import type { Hint } from "./run-store.ts";
import { hintOf } from "./watch-hint.ts";

const run1 = { ...key, run: 1 };

const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const plan = (...decisions: readonly object[]) => ({
  decisions,
  projectResources: { app: { project: "local/app" } },
});
const many = (count: number, calls: (index: number) => readonly object[]) =>
  plan(...Array.from({ length: count }, (_, index) => ({ id: `d${index}`, toolCalls: calls(index) })));

const stepsOf = ({ ports }: MemoryWorld) =>
  ports.steps.range({ ...run1, from: 0, before: Number.MAX_SAFE_INTEGER, limit: 1_000 });

function advance(
  world: MemoryWorld,
  request: { readonly hint?: Hint; readonly remainingMs?: number; readonly receiveCount?: number } = {},
): Promise<AdvanceOutcome> {
  const { hint = hintOf(run1), remainingMs = 60_000, receiveCount = 1 } = request;
  return advanceRun({ hint, deadlineEpochMs: world.clock.now() + remainingMs, receiveCount }, world.ports);
}

/** A tool that takes its time on the test's clock, and may do more. */
const slowTool = (
  world: () => MemoryWorld,
  takesMs: number,
  also: () => void | Promise<void> = () => {},
): Tool => ({
  name: "slow",
  description: "Takes its time.",
  inputSchema: { type: "object" },
  effect: "read",
  async run() {
    world().clock.epochMs += takesMs;
    await also();
    return { output: "done" };
  },
});
const slow = () => [{ tool: "slow", input: {} }];

test("a submitted plan runs from one hint to its signed seal, every decision and event in order", async () => {
  const world = memoryWorld();
  await world.submit(
    plan(
      { id: "d1", toolCalls: [write("a.txt", "one\n"), write("b.txt", "two\n")] },
      {
        id: "d2",
        dependsOn: ["d1"],
        toolCalls: [{ tool: "move_file", input: { source: "a.txt", destination: "c.txt" } }],
      },
      { id: "d3", toolCalls: [] },
    ),
    { "README.md": "hello\n" },
  );
  assert.equal((await advance(world)).kind, "ended");
  const frontier = await world.ports.frontiers.read(run1);
  assert.ok(frontier?.state.phase === "completed");
  assert.equal(frontier.position, 3);
  assert.deepEqual(frontier.counts, { landed: 3, failed: 0, skipped: 0, toolCalls: 3, entries: 4 });
  const [step] = await stepsOf(world);
  assert.deepEqual(
    step?.events.map(({ seq, type, decisionId }) => [seq, type, decisionId]),
    [
      [1, "runtime_execute_started", undefined],
      [2, "runtime_execute_step", "d1"],
      [3, "runtime_execute_step", "d2"],
      [4, "runtime_execute_step", "d3"],
      [5, "runtime_execute_complete", undefined],
    ],
  );
  const { digest, signature } = frontier.state;
  assert.equal(digest, step?.chainHead);
  const statement = { planId: key.planId, run: 1, digest, seq: 5, ledgerHead: frontier.ledgerHead };
  assert.ok(isSigned(statement, signature));
  assert.ok(!isSigned({ ...statement, seq: 4 }, signature));
  assert.equal(frontier.nextCheckEpochSeconds, undefined);
});

test("a plan that has nothing to do completes under the digest of its bases (F11)", async () => {
  const world = memoryWorld();
  const { chainHead } = await world.submit(plan());
  assert.equal((await advance(world)).kind, "ended");
  const frontier = await world.ports.frontiers.read(run1);
  assert.ok(frontier?.state.phase === "completed");
  assert.equal(frontier.state.digest, chainHead);
  assert.deepEqual(
    frontier.controlEvents.map(({ type }) => type),
    ["runtime_execute_started", "runtime_execute_complete"],
  );
});

test("a failed decision lands nothing, everything behind it is skipped with the reason, the rest runs (R26, F10, F25)", async () => {
  const world = memoryWorld();
  await world.submit(
    plan(
      {
        id: "bad",
        toolCalls: [write("half.txt", "x"), { tool: "delete_file", input: { path: "absent" } }],
      },
      { id: "child", dependsOn: ["bad"], toolCalls: [write("child.txt", "x")] },
      { id: "grandchild", dependsOn: ["child", "free"], toolCalls: [write("grandchild.txt", "x")] },
      { id: "free", toolCalls: [write("free.txt", "x")] },
    ),
  );
  await advance(world);
  const frontier = await world.ports.frontiers.read(run1);
  assert.equal(frontier?.state.phase, "failed");
  const [step] = await stepsOf(world);
  const outcomes = new Map(step?.decisions.map(({ decisionId, outcome }) => [decisionId, outcome]));
  const bad = outcomes.get("bad");
  assert.ok(bad?.status === "failed" && bad.failure.code === "path_not_found" && bad.callOrdinal === 1);
  assert.deepEqual(outcomes.get("child"), { status: "skipped", because: ["bad"] });
  assert.deepEqual(outcomes.get("grandchild"), { status: "skipped", because: ["child"] });
  assert.deepEqual(outcomes.get("free"), { status: "landed" });
  assert.deepEqual(
    step?.decisions.flatMap(({ entries }) => entries.map(({ path }) => path)),
    ["free.txt"],
  );
});

test("steps hold 32 decisions, or what 250 ms were enough for", async () => {
  const fast = memoryWorld();
  await fast.submit(many(70, () => []));
  await advance(fast);
  assert.deepEqual(
    (await stepsOf(fast)).map(({ decisions }) => decisions.length),
    [32, 32, 6],
  );
  const slower: MemoryWorld = memoryWorld({ tools: [slowTool(() => slower, 100)] });
  await slower.submit(many(7, slow));
  await advance(slower);
  assert.deepEqual(
    (await stepsOf(slower)).map(({ decisions }) => decisions.length),
    [3, 3, 1],
  );
});

test("what is near 300 KB becomes a step, and large content goes to the content store before it (F6)", async () => {
  const noise = (index: number, size: number) =>
    Array.from({ length: size }, (_, at) => ((at * 7_919 + index * 104_729) % 36).toString(36)).join("");
  // What it writes does not stand in the call's input.
  const writeNoise: Tool = {
    name: "write_noise",
    description: "Writes a file of its own making.",
    inputSchema: { type: "object" },
    effect: "workspace",
    async run(input, context) {
      const index = Number(input.index);
      const bytes = Buffer.from(noise(index, index === 0 ? 40_000 : 30_000));
      await context.workspace().writeFile(`f${index}.txt`, bytes);
      return { output: "" };
    },
  };
  const world = memoryWorld({ tools: [writeNoise] });
  await world.submit(many(24, (index) => [{ tool: "write_noise", input: { index } }]));
  await advance(world);
  const steps = await stepsOf(world);
  assert.ok(steps.length > 1 && steps.length < 6);
  const large = steps[0]?.decisions[0]?.entries[0]?.after?.sha256 ?? "";
  assert.equal(steps[0]?.contents.has(large), false);
  assert.equal((await world.content.get(large))?.length, 40_000);
  assert.equal(
    steps[0]?.contents.get(steps[0]?.decisions[1]?.entries[0]?.after?.sha256 ?? "")?.bytes.length,
    30_000,
  );
});

test("near its deadline a worker hands the run on by a hint, and begins no further decision", async () => {
  const world: MemoryWorld = memoryWorld({ tools: [slowTool(() => world, 30_000)] });
  await world.submit(many(5, slow));
  world.sent.length = 0;
  const outcome = await advance(world);
  assert.ok(outcome.kind === "handed_on");
  assert.equal(outcome.frontier.position, 2);
  assert.deepEqual(world.sent.at(-1), { hint: hintOf(run1), delaySeconds: 0 });
  assert.equal((await advance(world, { remainingMs: 0 })).kind, "handed_on");
  assert.equal((await world.ports.frontiers.read(run1))?.position, 3);
});

test("a worker that is killed is missed by its watch hint, which takes over; one that moves is watched on", async () => {
  const world = memoryWorld();
  await world.submit(many(35, () => []));
  world.sent.length = 0;
  const { steps } = world.ports;
  const dying: RunPorts = {
    ...world.ports,
    steps: {
      ...steps,
      putIfAbsent: (plan, step) =>
        step.from < 32 ? steps.putIfAbsent(plan, step) : new Promise<never>(() => {}),
    },
  };
  const deadlineEpochMs = world.clock.now() + 60_000;
  void advanceRun({ hint: hintOf(run1), deadlineEpochMs, receiveCount: 1 }, dying);
  await new Promise(setImmediate);
  const [watch] = world.sent;
  assert.equal(watch?.delaySeconds, 5);
  assert.ok(watch?.hint.watch !== undefined);

  const alive = await advance(world, { hint: watch.hint });
  assert.deepEqual(alive, { kind: "nothing_to_do", because: "watched" });
  const next = world.sent.at(-1);
  assert.equal(next?.delaySeconds, 5);
  assert.ok(next?.hint.watch !== undefined);
  const takenOver = await advance(world, { hint: next.hint });
  assert.equal(takenOver.kind, "ended");
  assert.deepEqual(
    (await stepsOf(world)).map(({ decisions }) => decisions.length),
    [32, 1, 1, 1],
  );
});

test("a watch hint of a worker that another one followed is dropped", async () => {
  const world: MemoryWorld = memoryWorld({ tools: [slowTool(() => world, 58_000)] });
  await world.submit(many(9, slow));
  world.sent.length = 0;
  await advance(world);
  const [first] = world.sent;
  await advance(world);
  world.sent.length = 0;
  assert.ok(first !== undefined);
  assert.deepEqual(await advance(world, { hint: first.hint }), { kind: "nothing_to_do", because: "watched" });
  assert.equal(world.sent.length, 0);
});

test("while a decision takes long, what is before it becomes final and heartbeats show that its worker lives", async () => {
  const timers: (() => void)[] = [];
  const fireTimer = async () => {
    timers.shift()?.();
    await new Promise(setImmediate);
  };
  const positions: (number | undefined)[] = [];
  const revisions: (number | undefined)[] = [];
  const look = async () => {
    const frontier = await world.ports.frontiers.read(run1);
    positions.push(frontier?.position);
    revisions.push(frontier?.revision);
  };
  const world: MemoryWorld = memoryWorld({
    timer: {
      after(_, callback) {
        timers.push(callback);
        return { cancel: () => timers.splice(timers.indexOf(callback), 1) };
      },
    },
    tools: [
      slowTool(
        () => world,
        0,
        async () => {
          for (let beat = 0; beat < 3; beat += 1) {
            await fireTimer();
            await look();
          }
        },
      ),
    ],
  });
  await world.submit(plan({ id: "d1", toolCalls: [] }, { id: "d2", toolCalls: slow() }));
  assert.equal((await advance(world)).kind, "ended");
  assert.deepEqual(positions, [1, 1, 1]);
  const [first = 0] = revisions;
  assert.deepEqual(revisions, [first, first + 1, first + 2]);
  assert.equal(timers.length, 0);
});

test("a decision that kills every worker fails alone, after a few of them; those around it land", async () => {
  const graves: ((error: Error) => void)[] = [];
  const world: MemoryWorld = memoryWorld({
    tools: [
      slowTool(
        () => world,
        0,
        () => new Promise<void>((_, reject) => graves.push(reject)),
      ),
    ],
  });
  await world.submit(
    plan(
      { id: "before", toolCalls: [write("a.txt", "a")] },
      { id: "poison", toolCalls: slow() },
      { id: "behind", dependsOn: ["poison"], toolCalls: [] },
      { id: "after", toolCalls: [write("b.txt", "b")] },
    ),
  );
  let workers = 0;
  for (; workers < 30; workers += 1) {
    const { hint = hintOf(run1) } = world.sent.pop() ?? {};
    world.sent.length = 0;
    advance(world, { hint }).catch(() => {});
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise(setImmediate);
    }
    if ("digest" in ((await world.ports.frontiers.read(run1))?.state ?? {})) {
      break;
    }
  }
  for (const bury of graves) {
    bury(new InfrastructureError({ message: "killed" }));
  }
  assert.ok(workers < 9, `${workers} workers`);
  const records = (await stepsOf(world)).flatMap(({ decisions }) => decisions);
  assert.deepEqual(
    records.map(({ outcome }) => outcome.status),
    ["landed", "failed", "skipped", "landed"],
  );
  const poison = records[1]?.outcome;
  assert.ok(poison?.status === "failed" && poison.failure.code === "dead_lettered");
});

test("a dead-lettered hint fails the decision only where a worker began after another seemed to have died", async () => {
  const world = memoryWorld();
  const outage = new InfrastructureError({ message: "throttled" });
  await world.submit(many(2, (index) => [write(`f${index}`, "x")]));
  const throttled = {
    ...world.ports,
    steps: { ...world.ports.steps, putIfAbsent: () => Promise.reject(outage) },
  };
  const deliver = (receiveCount: number, ports = throttled) =>
    advanceRun({ hint: hintOf(run1), deadlineEpochMs: world.clock.now() + 60_000, receiveCount }, ports);
  for (let receiveCount = 1; receiveCount <= 5; receiveCount += 1) {
    await assert.rejects(deliver(receiveCount), outage);
  }
  // Throttling alone: no worker died, so nothing is to blame.
  world.sent.length = 0;
  assert.deepEqual(await deadLetter(hintOf(run1), world.ports), { kind: "hinted" });
  assert.deepEqual(world.sent, [{ hint: hintOf(run1), delaySeconds: 0 }]);
  assert.equal((await world.ports.frontiers.read(run1))?.position, 0);

  const killed = {
    ...world.ports,
    steps: { ...world.ports.steps, putIfAbsent: () => new Promise<never>(() => {}) },
  };
  void deliver(2, killed);
  await new Promise(setImmediate);
  assert.deepEqual(await deadLetter(hintOf(run1), world.ports), { kind: "failed_decision" });
  assert.deepEqual(await deadLetter(hintOf(run1), world.ports), { kind: "hinted" });
  const frontier = await world.ports.frontiers.read(run1);
  assert.deepEqual([frontier?.position, frontier?.counts.failed], [1, 1]);
});

test("a hint for a run that is paused, has ended or never was is done with, and nothing is sent", async () => {
  const world = memoryWorld();
  assert.deepEqual(await advance(world), { kind: "nothing_to_do", because: "no_run" });
  await world.submit(many(1, () => []));
  await advance(world);
  world.sent.length = 0;
  assert.deepEqual(await advance(world), { kind: "nothing_to_do", because: "ended" });
  assert.deepEqual(world.sent, []);
});

test("the reconciler sends the hints of runs that are due and puts them off; ended ones are left alone", async () => {
  const world = memoryWorld();
  const frontier = await world.submit(many(1, () => []));
  world.sent.length = 0;
  const reconcile = () =>
    reconcileRuns(
      { dueByEpochSeconds: Math.floor(world.clock.now() / 1000) },
      { ...world.ports, applies: world.ports.hints, phaseHints: world.ports.hints },
    );
  assert.deepEqual(await reconcile(), { hints: 0 });
  world.clock.epochMs = (frontier.nextCheckEpochSeconds ?? 0) * 1000;
  assert.deepEqual(await reconcile(), { hints: 1 });
  assert.deepEqual(world.sent, [{ hint: hintOf(run1), delaySeconds: 0 }]);
  assert.deepEqual(await reconcile(), { hints: 0 });
  await advance(world);
  world.clock.epochMs += 3_600_000;
  assert.deepEqual(await reconcile(), { hints: 0 });
});

test("the work is counted: steps and their write units, moves, puts, hints, invocations and time", async () => {
  const world: MemoryWorld = memoryWorld({ tools: [slowTool(() => world, 100)] });
  await world.submit(many(6, slow));
  await advance(world);
  const units = (await world.ports.frontiers.read(run1))?.units;
  assert.deepEqual(units, {
    steps: 2,
    stepWriteUnits: units?.stepWriteUnits,
    frontierMoves: 3,
    contentPuts: 0,
    hints: 1,
    invocations: 1,
    workMs: 600,
  });
  assert.ok((units?.stepWriteUnits ?? 0) >= 2 && (units?.stepWriteUnits ?? 0) < 8);
});

/** Ports under which something happens after the step was written and before the frontier moves over it. */
const betweenStepAndMove = (world: MemoryWorld, happens: () => Promise<unknown>): RunPorts => {
  const { steps } = world.ports;
  let pending: (() => Promise<unknown>) | undefined = happens;
  return {
    ...world.ports,
    steps: {
      ...steps,
      async putIfAbsent(plan, step) {
        const standing = await steps.putIfAbsent(plan, step);
        const now = pending;
        pending = undefined;
        await now?.();
        return standing;
      },
    },
  };
};

test("a pause after a step was written keeps it from becoming final, and the resume does not adopt it", async () => {
  const world = memoryWorld();
  await world.submit(many(3, (index) => [write(`f${index}`, "x")]));
  const request = { hint: hintOf(run1), deadlineEpochMs: world.clock.now() + 60_000, receiveCount: 1 };
  const pause = () => pausePlan(key, { by: "user:eve" }, world.ports);
  const outcome = await advanceRun(request, betweenStepAndMove(world, pause));
  assert.deepEqual(outcome, { kind: "nothing_to_do", because: "paused" });
  assert.equal((await world.ports.frontiers.read(run1))?.position, 0);
  assert.deepEqual(await advance(world), { kind: "nothing_to_do", because: "paused" });

  const pauseAndResume = async () => {
    await pause();
    await resumePaused(key, { by: "user:eve" }, world.ports);
  };
  await resumePaused(key, { by: "user:eve" }, world.ports);
  const resumed = await advanceRun(request, betweenStepAndMove(world, pauseAndResume));
  assert.equal(resumed.kind, "ended");
  const steps = await stepsOf(world);
  assert.equal(steps.length, 1);
  assert.deepEqual(
    steps[0]?.events.map(({ seq, type }) => [seq, type.replace("runtime_execute_", "")]),
    [
      [1, "started"],
      [2, "paused"],
      [3, "resumed"],
      [4, "paused"],
      [5, "resumed"],
      [6, "step"],
      [7, "step"],
      [8, "step"],
      [9, "complete"],
    ],
  );
});

test("a cancel after a step was written seals without it", async () => {
  const world = memoryWorld();
  await world.submit(many(3, (index) => [write(`f${index}`, "x")]));
  const request = { hint: hintOf(run1), deadlineEpochMs: world.clock.now() + 60_000, receiveCount: 1 };
  const cancel = () => cancelPlan(key, { by: "user:eve" }, world.ports);
  const outcome = await advanceRun(request, betweenStepAndMove(world, cancel));
  assert.deepEqual(outcome, { kind: "nothing_to_do", because: "ended" });
  const frontier = await world.ports.frontiers.read(run1);
  assert.equal(frontier?.state.phase, "cancelled");
  assert.equal(frontier?.position, 0);
  assert.equal(frontier?.counts.landed, 0);
});

test("a worker that is only taken for dead makes its step final all the same; the other one adopts it", async () => {
  const world = memoryWorld();
  await world.submit(many(3, (index) => [write(`f${index}`, "x")]));
  const request = { hint: hintOf(run1), deadlineEpochMs: world.clock.now() + 60_000, receiveCount: 1 };
  let other: Promise<AdvanceOutcome> | undefined;
  const outcome = await advanceRun(
    request,
    betweenStepAndMove(world, async () => {
      other = advance(world, { receiveCount: 2 });
      // Lets the other worker record its suspicion, but not yet its own step.
      while ((await world.ports.frontiers.read(run1))?.suspect === undefined) {
        await Promise.resolve();
      }
    }),
  );
  await other;
  assert.ok(outcome.kind === "ended" || outcome.kind === "nothing_to_do");
  const frontier = await world.ports.frontiers.read(run1);
  assert.equal(frontier?.state.phase, "completed");
  assert.deepEqual(frontier?.counts, { landed: 3, failed: 0, skipped: 0, toolCalls: 3, entries: 3 });
});

test("F13: of many workers that begin at the same revision one goes on and the others yield at once", async () => {
  const world = memoryWorld();
  await world.submit(many(64, (index) => [write(`f${index}`, "x")]));
  world.sent.length = 0;
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => advance(world)));
  assert.equal(outcomes.filter(({ kind }) => kind === "ended").length, 1);
  assert.equal(
    outcomes.filter((one) => one.kind === "nothing_to_do" && one.because === "yielded").length,
    19,
  );
  // Each was watched once: none began again, to take the run from the winner.
  assert.equal(world.sent.length, 20);
  const frontier = await world.ports.frontiers.read(run1);
  assert.ok(frontier?.state.phase === "completed");
});

test("F13: a worker that begins beside one that is at work, and does not get to move, yields to it", async () => {
  const outcomes: AdvanceOutcome[] = [];
  const world: MemoryWorld = memoryWorld({
    tools: [
      slowTool(
        () => world,
        300,
        async () => {
          const { frontiers } = world.ports;
          const [at, begun] = [await frontiers.read(run1), outcomes.length];
          if (at?.position !== 3 || begun > 0) return;
          // Its first step comes late: the one at work has moved on by then.
          let late = true;
          const move: typeof frontiers.move = async (next) => {
            const isLate = late;
            late = false;
            return isLate ? false : frontiers.move(next);
          };
          const ports = { ...world.ports, frontiers: { ...frontiers, move } };
          outcomes.push({ kind: "nothing_to_do", because: "no_run" });
          const request = {
            hint: hintOf(run1),
            deadlineEpochMs: at.movedAtEpochMs + 60_000,
            receiveCount: 2,
          };
          outcomes.push(await advanceRun(request, ports));
        },
      ),
    ],
  });
  await world.submit(many(8, slow));
  assert.equal((await advance(world)).kind, "ended");
  assert.deepEqual(outcomes.slice(1), [{ kind: "nothing_to_do", because: "yielded" }]);
});
