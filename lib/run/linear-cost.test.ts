import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "../canonical/sha256.ts";
import { advanceRun } from "./advance-run.ts";
import type { OpenExecutor } from "./decision-executor.ts";
import type { Frontier } from "./frontier.ts";
import { itemStepStore } from "./item-step-store.ts";
import { memoryStepItemStore } from "./memory-step-item-store.ts";
import { key, memoryWorld } from "./run-plan.testkit.ts";
import type { RunPorts } from "./run-ports.ts";
import type { StepItemStore } from "./run-store.ts";
import { hintOf } from "./watch-hint.ts";

/** More by `LINEAR_DECISIONS`; a hundred thousand take a minute. */
const decisionCount = Number(process.env.LINEAR_DECISIONS ?? 5_000);
const decisionsPerInvocation = 1_000;
const run1 = { ...key, run: 1 };

/** Each decision writes a file of its own and one that all write, cheaply: what is measured is the engine. */
const cheapExecutor: OpenExecutor = async (_, state) => {
  let shared = state.overlay.get("app")?.get("shared")?.file ?? null;
  return {
    isExternal: () => false,
    async execute({ id, ordinal }) {
      const bytes = Buffer.from(`content of ${id}`);
      const file = {
        sha256: sha256Hex(bytes),
        sizeBytes: bytes.length,
        mode: "100644",
        gitBlobId: "0".repeat(40),
      } as const;
      const entry = { decisionId: id, callOrdinal: 0, resource: "app" } as const;
      const before = shared;
      shared = file;
      return {
        outcome:
          ordinal % 50 === 49
            ? { status: "failed", failure: { code: "tool_failed", message: "no" } }
            : { status: "landed" },
        calls: [],
        entries:
          ordinal % 50 === 49
            ? []
            : [
                { ...entry, path: `own/${id}`, kind: "create", before: null, after: file },
                { ...entry, path: "shared", kind: "modify", before, after: file },
              ],
        reads: [],
        contents: new Map([[file.sha256, bytes]]),
      };
    },
    contentsStored() {},
  };
};

interface Counted {
  readonly calls: number;
  readonly writtenBytes: number;
  readonly readBytes: number;
}

test(`the last thousand of ${decisionCount} decisions cost what the first did (F8, F24)`, async () => {
  const world = memoryWorld();
  const total = { calls: 0, writtenBytes: 0, readBytes: 0 };
  const counted = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, property, receiver) {
        const member: unknown = Reflect.get(target, property, receiver);
        return typeof member !== "function"
          ? member
          : (...parameters: readonly unknown[]) => {
              total.calls += 1;
              return Reflect.apply(member, target, parameters);
            };
      },
    });
  const items = memoryStepItemStore();
  const countedItems: StepItemStore = {
    ...items,
    async putIfAbsent(plan, item) {
      total.calls += 1;
      total.writtenBytes += item.bytes.length;
      return items.putIfAbsent(plan, item);
    },
    async range(query) {
      const found = await items.range(query);
      total.calls += 1;
      total.readBytes += found.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return found;
    },
  };
  const content = counted(world.content);
  let stopAt = decisionsPerInvocation;
  const atStart: { readonly position: number; readonly total: Counted }[] = [];
  const ports: RunPorts = {
    ...world.ports,
    frontiers: counted(world.ports.frontiers),
    hints: counted(world.ports.hints),
    contentOf: () => content,
    steps: itemStepStore({ items: countedItems, contentOf: () => content }),
    openExecutor: cheapExecutor,
  };
  let standing: Frontier | undefined;
  // Time is up after a fixed number of decisions, so that every invocation does the same.
  const deadlineEpochMs = world.clock.epochMs + 60_000;
  const now = () => (position() >= stopAt ? deadlineEpochMs : world.clock.epochMs);
  const position = () => standing?.position ?? 0;
  const frontiers: RunPorts["frontiers"] = {
    ...ports.frontiers,
    async move(next) {
      standing = next;
      return ports.frontiers.move(next);
    },
  };
  await world.submit({
    decisions: Array.from({ length: decisionCount }, (_, index) => ({ id: `d${index}`, toolCalls: [] })),
    projectResources: { app: { project: "local/app" } },
  });
  for (let ended = false; !ended; stopAt += decisionsPerInvocation) {
    atStart.push({ position: position(), total: { ...total } });
    const outcome = await advanceRun(
      { hint: hintOf(run1), deadlineEpochMs, receiveCount: 1 },
      { ...ports, frontiers, clock: { now } },
    );
    ended = outcome.kind === "ended";
  }
  const end = { position: position(), total: { ...total } };
  assert.equal(end.position, decisionCount);
  const per = (from: { position: number; total: Counted }, to: { position: number; total: Counted }) => {
    const decisions = to.position - from.position;
    return {
      calls: (to.total.calls - from.total.calls) / decisions,
      writtenBytes: (to.total.writtenBytes - from.total.writtenBytes) / decisions,
    };
  };
  const [start, second] = atStart;
  const last = atStart.at(-1);
  assert.ok(start !== undefined && second !== undefined && last !== undefined);
  const [first, lastCost] = [per(start, second), per(last, end)];
  assert.ok(
    lastCost.calls <= 1.1 * first.calls,
    `${lastCost.calls} store calls a decision, at first ${first.calls}`,
  );
  assert.ok(
    lastCost.writtenBytes <= 1.1 * first.writtenBytes,
    `${lastCost.writtenBytes} bytes a decision, at first ${first.writtenBytes}`,
  );
});
