import assert from "node:assert/strict";
import { test } from "node:test";
import type { Tool } from "../tools/tool.ts";
import { advanceRun } from "./advance-run.ts";
import { decodeCheckpoint } from "./checkpoint-codec.ts";
import { pausePlan } from "./control-run.ts";
import { readRunState } from "./read-run-state.ts";
import { key, type MemoryWorld, memoryWorld } from "./run-plan.testkit.ts";
import type { RunPorts } from "./run-ports.ts";
import { hintOf } from "./watch-hint.ts";

const run1 = { ...key, run: 1 };
const advance = (world: MemoryWorld, ports: RunPorts = world.ports) =>
  advanceRun({ hint: hintOf(run1), deadlineEpochMs: world.clock.now() + 60_000, receiveCount: 1 }, ports);

/** A tool that notes what it was called with, writes a file of its own, and takes so long. */
function noting(ran: number[], world: () => MemoryWorld, tookMs = 0): Tool {
  return {
    name: "note",
    description: "Notes its index.",
    inputSchema: { type: "object" },
    effect: "workspace",
    async run({ index }, context) {
      ran.push(Number(index));
      await context.workspace().writeFile(`f${index}.txt`, Buffer.from(`content ${index}`));
      world().clock.epochMs += tookMs;
      return { output: "" };
    },
  };
}
const plan = (count: number) => ({
  projectResources: { app: { project: "local/app" } },
  decisions: Array.from({ length: count }, (_, index) => ({
    id: `d${index}`,
    toolCalls: [{ tool: "note", input: { index } }],
  })),
});

/** Steps that are written only once they are let through, one by one. */
function heldSteps(world: MemoryWorld) {
  const { steps } = world.ports;
  const waiting: { readonly from: number; readonly let: () => void }[] = [];
  const arrived = { one: Promise.withResolvers<void>() };
  const ports: RunPorts = {
    ...world.ports,
    steps: {
      ...steps,
      async putIfAbsent(plan, step) {
        const held = Promise.withResolvers<void>();
        waiting.push({ from: step.from, let: held.resolve });
        arrived.one.resolve();
        arrived.one = Promise.withResolvers();
        await held.promise;
        return steps.putIfAbsent(plan, step);
      },
    },
  };
  return { ports, waiting, next: () => arrived.one.promise };
}
/** Until so many have run, and then for some turns more, in which one too many would. */
const untilRan = async (ran: readonly number[], count: number) => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (ran.length < count) await turn();
  for (let turns = 0; turns < 100; turns += 1) await turn();
};

test("what stands behind a full step is executed while that becomes final, a step's worth and no more", async () => {
  const ran: number[] = [];
  const world: MemoryWorld = memoryWorld({ tools: [noting(ran, () => world)] });
  await world.submit(plan(100));
  const { ports, waiting, next } = heldSteps(world);
  const arrival = next();
  const advancing = advance(world, ports);
  await arrival;
  await untilRan(ran, 64);
  assert.equal(ran.length, 64);
  assert.deepEqual(
    waiting.map(({ from }) => from),
    [0],
  );
  assert.equal((await world.ports.frontiers.read(run1))?.position, 0);
  for (const from of [0, 32, 64, 96]) {
    const following = next();
    assert.equal(waiting.at(-1)?.from, from);
    waiting.at(-1)?.let();
    if (from < 96) await following;
  }
  assert.equal((await advancing).kind, "ended");
  const frontier = await world.ports.frontiers.read(run1);
  assert.deepEqual([frontier?.position, frontier?.counts.landed], [100, 100]);
  assert.deepEqual(
    ran,
    Array.from({ length: 100 }, (_, index) => index),
  );
});

test("what was executed behind a step that a pause kept from becoming final is no part of the run", async () => {
  const ran: number[] = [];
  const world: MemoryWorld = memoryWorld({ tools: [noting(ran, () => world)] });
  await world.submit(plan(100));
  const { ports, waiting, next } = heldSteps(world);
  const arrival = next();
  const advancing = advance(world, ports);
  await arrival;
  await untilRan(ran, 64);
  await pausePlan(key, { by: "ada" }, world.ports);
  waiting[0]?.let();
  assert.deepEqual(await advancing, { kind: "nothing_to_do", because: "paused" });
  const frontier = await world.ports.frontiers.read(run1);
  assert.deepEqual([frontier?.state.phase, frontier?.position], ["paused", 0]);
  assert.deepEqual(
    waiting.map(({ from }) => from),
    [0],
  );
});

test("a checkpoint holds what is final where it stands, and nothing that was executed since", async () => {
  const ran: number[] = [];
  // Each decision takes longer than a step waits, so that steps hold one each.
  const world: MemoryWorld = memoryWorld({ tools: [noting(ran, () => world, 300)] });
  await world.submit(plan(70));
  const { ports, waiting, next } = heldSteps(world);
  let arrival = next();
  const advancing = advance(world, ports);
  for (let from = 0; from < 70; from += 1) {
    await arrival;
    arrival = next();
    assert.equal(waiting.at(-1)?.from, from);
    // The step of the checkpoint is the 64th: nothing is executed behind it. Behind any other one decision is.
    await untilRan(ran, from === 63 || from === 69 ? from + 1 : from + 2);
    assert.equal(ran.length, from === 63 || from === 69 ? from + 1 : from + 2);
    waiting.at(-1)?.let();
  }
  assert.equal((await advancing).kind, "ended");
  const checkpoint = (await world.ports.frontiers.read(run1))?.checkpoint;
  assert.equal(checkpoint?.position, 64);
  const bytes = await world.content.get(checkpoint?.sha256 ?? "");
  assert.ok(bytes !== undefined);
  assert.equal(decodeCheckpoint(bytes).entries.length, 64);
});

test("decisions are executed while the run is opened, and nothing is written unless it was", async () => {
  for (const opens of [true, false]) {
    const ran: number[] = [];
    const world: MemoryWorld = memoryWorld({ tools: [noting(ran, () => world)] });
    await world.submit(plan(3));
    const { ports, waiting } = heldSteps(world);
    const held = Promise.withResolvers<void>();
    const { frontiers } = world.ports;
    const arrived = Promise.withResolvers<void>();
    const advancing = advance(world, {
      ...ports,
      frontiers: {
        ...frontiers,
        async move(next) {
          if (next.position === 0) await held.promise;
          return frontiers.move(next);
        },
      },
      steps: {
        ...ports.steps,
        putIfAbsent(plan, step) {
          arrived.resolve();
          return ports.steps.putIfAbsent(plan, step);
        },
      },
    });
    await untilRan(ran, 3);
    assert.equal(waiting.length, 0);
    if (!opens) await pausePlan(key, { by: "ada" }, world.ports);
    held.resolve();
    if (opens) {
      await arrived.promise;
      waiting[0]?.let();
    }
    assert.equal((await advancing).kind, opens ? "ended" : "nothing_to_do");
    assert.equal(waiting.length, opens ? 1 : 0);
  }
});

test("an executor is told what need not be held once readers find it in what is final, all of it in the end", async () => {
  const ran: number[] = [];
  const world: MemoryWorld = memoryWorld({ tools: [noting(ran, () => world)] });
  await world.submit(plan(40));
  const told: string[] = [];
  const early: string[] = [];
  const found: Promise<void>[] = [];
  const ports: RunPorts = {
    ...world.ports,
    async openExecutor(record, state) {
      const executor = await world.ports.openExecutor(record, state);
      const isFound = async (sha256: string) => {
        const { state: final } = await readRunState(run1, world.ports);
        if ((await final.content.get(sha256)) === undefined) early.push(sha256);
      };
      return {
        ...executor,
        contentsStored(sha256s) {
          const these = [...sha256s];
          told.push(...these);
          found.push(...these.map(isFound));
          executor.contentsStored(these);
        },
      };
    },
  };
  assert.equal((await advance(world, ports)).kind, "ended");
  await Promise.all(found);
  assert.deepEqual(early, []);
  assert.equal(told.length, 40);
});
