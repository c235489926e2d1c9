import assert from "node:assert/strict";
import { test } from "node:test";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolError } from "../tools/tool-error.ts";
import { type AdvanceOutcome, advanceRun } from "./advance-run.ts";
import type { Timer } from "./clock.ts";
import { cancelPlan, pausePlan } from "./control-run.ts";
import type { ExternalIntent } from "./frontier.ts";
import { resumePlan } from "./resume-plan.ts";
import { key, type MemoryWorld, memoryWorld } from "./run-plan.testkit.ts";
import type { RunPorts } from "./run-ports.ts";
import { hintOf } from "./watch-hint.ts";

const run1 = { ...key, run: 1 };
const by = { by: "user:eve" };
const ids = { ulid: () => "CHANGESET-NEXT" };

const charge = (amount: number) => ({ tool: "charge", input: { amount } });
const plan = (...decisions: readonly object[]) => ({
  decisions,
  projectResources: { app: { project: "local/app" } },
});

interface Outside {
  readonly world: MemoryWorld;
  /** Idempotency keys of the calls that were made. */
  readonly calls: string[];
  /** What the next call does before it answers. */
  before(call: () => Promise<void>): void;
}

function outside(options: { readonly idempotent?: boolean; readonly timer?: Timer } = {}): Outside {
  const calls: string[] = [];
  let next: () => Promise<void> = async () => {};
  const tool: Tool = {
    name: "charge",
    description: "Charges a card.",
    inputSchema: { type: "object" },
    effect: "external",
    idempotent: options.idempotent === true,
    timeLimitMs: 20_000,
    async run({ amount }, { idempotencyKey = "" }) {
      calls.push(idempotencyKey);
      const before = next;
      next = async () => {};
      await before();
      if (amount === 13) {
        throw new ToolError({ code: "external_failed", message: "declined" });
      }
      return { output: `charged ${String(amount)}` };
    },
  };
  return {
    world: memoryWorld({ tools: [tool], ...(options.timer === undefined ? {} : { timer: options.timer }) }),
    calls,
    before(call) {
      next = call;
    },
  };
}

function advance(world: MemoryWorld, ports: RunPorts = world.ports, run = 1): Promise<AdvanceOutcome> {
  const hint = hintOf({ ...key, run });
  return advanceRun({ hint, deadlineEpochMs: world.clock.now() + 600_000, receiveCount: 1 }, ports);
}

/** The worker dies after the call, before its result is recorded. */
const dyingAfterCall = (world: MemoryWorld): RunPorts => ({
  ...world.ports,
  results: { ...world.ports.results, putIfAbsent: () => new Promise<never>(() => {}) },
});

async function settled(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

const recordsOf = async ({ ports }: MemoryWorld, run = 1) =>
  (await ports.steps.range({ ...key, run, from: 0, before: 1_000, limit: 100 })).flatMap(
    ({ decisions }) => decisions,
  );

test("an external call is made when everything before it is final and its intent is recorded, once", async () => {
  const { world, calls, before } = outside();
  await world.submit(
    plan({ id: "d1", toolCalls: [] }, { id: "d2", toolCalls: [charge(5)] }, { id: "d3", toolCalls: [] }),
  );
  let position: number | undefined;
  let intent: ExternalIntent | undefined;
  before(async () => {
    ({ position, intent } = (await world.ports.frontiers.read(run1)) ?? {});
  });
  assert.equal((await advance(world)).kind, "ended");
  assert.equal(position, 1);
  assert.deepEqual([intent?.ordinal, intent?.callOrdinal, intent?.tool], [1, 0, "charge"]);
  assert.deepEqual(calls, [intent?.idempotencyKey]);
  const frontier = await world.ports.frontiers.read(run1);
  assert.equal(frontier?.intent, undefined);
  const [, d2] = await recordsOf(world);
  assert.equal(Buffer.from(d2?.calls[0]?.output.bytes ?? []).toString(), "charged 5");
});

test("another worker waits for a call that may be under way, and uses its result when it is there", async () => {
  const { world, calls, before } = outside();
  await world.submit(plan({ id: "d1", toolCalls: [charge(5)] }));
  const answer = Promise.withResolvers<void>();
  before(() => answer.promise);
  const first = advance(world);
  await settled();
  world.sent.length = 0;
  const second = await advance(world);
  assert.ok(second.kind === "waiting");
  const retry = world.sent.at(-1);
  assert.deepEqual(retry, { hint: hintOf(run1), delaySeconds: 31 });
  answer.resolve();
  assert.equal((await first).kind, "ended");
  assert.equal(calls.length, 1);
  assert.equal((await recordsOf(world))[0]?.outcome.status, "landed");
});

/** What the queue delivers: the newest hint, as if its delay were over. */
async function deliver(world: MemoryWorld, ports: RunPorts = world.ports): Promise<AdvanceOutcome> {
  const { hint, delaySeconds = 0 } = world.sent.at(-1) ?? { hint: hintOf(run1) };
  world.clock.epochMs += delaySeconds * 1000;
  return advanceRun({ hint, deadlineEpochMs: world.clock.now() + 600_000, receiveCount: 1 }, ports);
}

test("F1: a decision whose worker died in a long external call is not taken for poison while others wait for that call", async () => {
  const { world, calls } = outside({ idempotent: true });
  await world.submit(plan({ id: "d1", toolCalls: [charge(5)] }, { id: "d2", toolCalls: [] }));
  void advance(world, dyingAfterCall(world));
  await settled();
  // More deliveries than a decision may have starts, all of them before the call is over.
  for (let receiveCount = 2; receiveCount < 8; receiveCount++) {
    world.clock.epochMs += 4_000;
    const request = { hint: hintOf(run1), deadlineEpochMs: world.clock.now() + 600_000, receiveCount };
    assert.equal((await advanceRun(request, world.ports)).kind, "waiting");
  }
  assert.equal((await deliver(world)).kind, "ended");
  assert.deepEqual(
    (await recordsOf(world)).map(({ outcome }) => outcome.status),
    ["landed", "landed"],
  );
  assert.equal(calls.length, 2);
});

test("a decision that kills every worker in its external call is failed all the same, after as many starts as any other", async () => {
  const { world, calls } = outside({ idempotent: true });
  await world.submit(plan({ id: "d1", toolCalls: [charge(5)] }, { id: "d2", toolCalls: [] }));
  void advance(world, dyingAfterCall(world));
  await settled();
  let outcome: AdvanceOutcome | undefined;
  for (let delivery = 0; delivery < 20 && outcome?.kind !== "ended"; delivery++) {
    outcome = undefined;
    void deliver(world, dyingAfterCall(world)).then((reached) => {
      outcome = reached;
    });
    await settled();
  }
  assert.equal(calls.length, 5);
  const [d1, d2] = await recordsOf(world);
  assert.ok(d1?.outcome.status === "failed" && d1.outcome.failure.code === "dead_lettered");
  assert.equal(d2?.outcome.status, "landed");
});

test("a call whose worker died is not repeated: its outcome is unknown, and a late result cannot contradict that", async () => {
  const { world, calls } = outside();
  await world.submit(plan({ id: "d1", toolCalls: [charge(5)] }, { id: "d2", toolCalls: [] }));
  void advance(world, dyingAfterCall(world));
  await settled();
  assert.equal((await advance(world)).kind, "waiting");
  world.clock.epochMs += 31_000;
  assert.equal((await advance(world)).kind, "ended");
  assert.equal(calls.length, 1);
  const [d1, d2] = await recordsOf(world);
  assert.ok(d1?.outcome.status === "failed" && d1.outcome.failure.code === "external_outcome_unknown");
  assert.equal(d2?.outcome.status, "landed");
  const late = {
    v: 1,
    idempotencyKey: calls[0] ?? "",
    outcome: { status: "succeeded", output: outputOf("late") },
  } as const;
  const standing = await world.ports.results.putIfAbsent({ ...run1, ordinal: 0, callOrdinal: 0 }, late);
  assert.equal(standing.outcome.status, "failed");
});

const outputOf = (text: string) => ({
  bytes: new Uint8Array(Buffer.from(text)),
  sizeBytes: text.length,
  truncated: false,
  sha256: "a".repeat(64),
});

test("an idempotent tool is called again after the deadline, under the same key", async () => {
  const { world, calls } = outside({ idempotent: true });
  await world.submit(plan({ id: "d1", toolCalls: [charge(5)] }));
  void advance(world, dyingAfterCall(world));
  await settled();
  world.clock.epochMs += 31_000;
  assert.equal((await advance(world)).kind, "ended");
  assert.equal(calls.length, 2);
  assert.equal(calls[0], calls[1]);
  assert.equal((await recordsOf(world))[0]?.outcome.status, "landed");
});

test("a pause during a call keeps the result; nothing becomes final until the resume, which does not call again", async () => {
  const { world, calls, before } = outside();
  await world.submit(plan({ id: "d1", toolCalls: [charge(5), charge(6)] }));
  before(async () => {
    await pausePlan(key, by, world.ports);
  });
  assert.deepEqual(await advance(world), { kind: "nothing_to_do", because: "paused" });
  assert.equal(calls.length, 1);
  assert.equal((await world.ports.frontiers.read(run1))?.position, 0);
  await resumePlan(key, by, { ...world.ports, ids });
  assert.equal((await advance(world)).kind, "ended");
  assert.equal(calls.length, 2);
  assert.notEqual(calls[0], calls[1]);
});

test("a cancel during a call seals after its result, keeps the changeset and makes no decision final", async () => {
  const { world, calls, before } = outside();
  await world.submit(
    plan(
      { id: "d1", toolCalls: [{ tool: "write_file", input: { path: "a", content: "x" } }] },
      { id: "d2", toolCalls: [charge(5), charge(6)] },
    ),
  );
  const phases: (string | undefined)[] = [];
  before(async () => {
    phases.push((await cancelPlan(key, { ...by, reason: "enough" }, world.ports)).state.phase);
    // Asked again, the answer is the same.
    phases.push((await cancelPlan(key, by, world.ports)).state.phase);
  });
  await advance(world);
  assert.deepEqual(phases, ["cancelling", "cancelling"]);
  const frontier = await world.ports.frontiers.read(run1);
  assert.ok(frontier?.state.phase === "cancelled");
  assert.equal(frontier.position, 1);
  assert.equal(frontier.counts.landed, 1);
  assert.equal(calls.length, 1);
  assert.deepEqual(
    frontier.controlEvents.map(({ type, by: who, reason }) => [type, who, reason]),
    [["runtime_execute_cancelled", "user:eve", "enough"]],
  );
});

test("a cancel whose call never answers seals after the call's deadline", async () => {
  const { world } = outside();
  await world.submit(plan({ id: "d1", toolCalls: [charge(5)] }));
  void advance(world, dyingAfterCall(world));
  await settled();
  assert.equal((await cancelPlan(key, by, world.ports)).state.phase, "cancelling");
  assert.equal(world.sent.at(-1)?.delaySeconds, 31);
  assert.equal((await advance(world)).kind, "waiting");
  world.clock.epochMs += 31_000;
  assert.equal((await advance(world)).kind, "ended");
  assert.equal((await world.ports.frontiers.read(run1))?.state.phase, "cancelled");
});

test("what succeeded outside is carried over to a further run, what failed is called again", async () => {
  const { world, calls } = outside();
  await world.submit(plan({ id: "d1", toolCalls: [charge(5), charge(13)] }));
  await advance(world);
  assert.equal(calls.length, 2);
  const further = await resumePlan(
    key,
    { ...by, toolCalls: { d1: [charge(5), charge(14)] } },
    { ...world.ports, ids },
  );
  assert.equal(further.run, 2);
  assert.equal((await advance(world, world.ports, 2)).kind, "ended");
  assert.equal(calls.length, 3);
  const [d1] = await recordsOf(world, 2);
  assert.deepEqual(
    d1?.calls.map(({ output }) => Buffer.from(output.bytes).toString()),
    ["charged 5", "charged 14"],
  );
});

test("a worker that learns of another's intent by its own heartbeat does not call beside it", async () => {
  const timers: (() => void)[] = [];
  const { world, calls, before } = outside({
    timer: {
      after(_, callback) {
        timers.push(callback);
        return { cancel: () => timers.splice(timers.indexOf(callback), 1) };
      },
    },
  });
  await world.submit(plan({ id: "d1", toolCalls: [charge(5)] }));
  const { results, frontiers } = world.ports;
  const look = Promise.withResolvers<void>();
  const reread = Promise.withResolvers<void>();
  let reads = 0;
  const held: RunPorts = {
    ...world.ports,
    frontiers: {
      ...frontiers,
      async read(at) {
        reads += 1;
        if (reads > 1) {
          await reread.promise;
        }
        return frontiers.read(at);
      },
    },
    results: {
      ...results,
      async get(at) {
        const found = await results.get(at);
        await look.promise;
        return found;
      },
    },
  };
  // The first looks for a result, finds none, and is held up there; the second records its intent and calls.
  const first = advance(world, held);
  await settled();
  const killed = Promise.withResolvers<void>();
  before(() => killed.promise);
  const second = advance(world);
  await settled();
  assert.equal(calls.length, 1);
  // The first's heartbeat finds the frontier moved and reads it again; meanwhile the first goes on to its call.
  timers[0]?.();
  await settled();
  look.resolve();
  await settled();
  reread.resolve();
  const outcome = await first;
  assert.equal(calls.length, 1);
  assert.equal(outcome.kind, "waiting");
  assert.notEqual((await frontiers.read(run1))?.intent, undefined);
  killed.reject(new InfrastructureError({ message: "killed" }));
  await assert.rejects(second, InfrastructureError);
});

test("a call that may take longer than the worker lives is left to another one, who has all of its time", async () => {
  const { world, calls, before } = outside();
  await world.submit(plan({ id: "d1", toolCalls: [] }, { id: "d2", toolCalls: [charge(5), charge(6)] }));
  // The tool may take 20 s, and 5 s of the worker's time are for the rest.
  const lives = (ms: number) =>
    advanceRun({ hint: hintOf(run1), deadlineEpochMs: world.clock.now() + ms, receiveCount: 1 }, world.ports);
  assert.equal((await lives(24_999)).kind, "handed_on");
  assert.deepEqual(calls, []);
  const frontier = await world.ports.frontiers.read(run1);
  assert.deepEqual([frontier?.position, frontier?.intent], [1, undefined]);
  // The first thing that a worker does is begun however little time there is; the next call is left again.
  before(async () => {
    world.clock.epochMs += 1;
  });
  assert.equal((await lives(25_000)).kind, "handed_on");
  assert.equal(calls.length, 1);
  assert.equal((await lives(25_000)).kind, "ended");
  assert.equal(calls.length, 2);
  assert.equal(new Set(calls).size, 2);
});
