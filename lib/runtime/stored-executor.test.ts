import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "../canonical/sha256.ts";
import type { ContentStore } from "../content/content-store.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import type { ToolCall } from "../plan/compiled-plan.ts";
import type { Clock } from "../run/clock.ts";
import type { DecisionExecutor } from "../run/decision-executor.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { openStoredExecutor } from "./stored-executor.ts";

function opened(options: {
  readonly clock: Clock;
  readonly content?: Pick<ContentStore, "get">;
  readonly heldContentBytes?: number;
}): Promise<DecisionExecutor> {
  const { content = memoryContentStore(), ...limits } = options;
  const trees = memoryTreeStore();
  const open = openStoredExecutor({
    treesOf: () => trees,
    runner: new ToolRunner({ registry: new ToolRegistry(builtinTools()) }),
    ...limits,
  });
  const plan = {
    name: "p",
    automationProfile: "manual" as const,
    resources: [{ name: "app", access: "write" as const, baseTree: emptyTree.sha256 }],
    resourceBindings: {},
    decisionCount: 1,
    decisions: { kind: "inline" as const, decisions: [] },
  };
  return open(
    {
      v: 1,
      tenant: "acme",
      planId: "p",
      serverPlanId: "pln_p",
      documentSha256: "",
      submittedBy: "ada",
      submittedAtEpochMs: 0,
      plan,
    },
    { overlay: new Map(), notLanded: new Map(), content },
  );
}

/** Runs decisions that need no I/O, and counts the turns that others of the process got meanwhile. */
async function turnsOfOthers(options: { readonly decisions: number; readonly msPerReading: number }) {
  let nowEpochMs = 0;
  const clock = {
    now: () => {
      nowEpochMs += options.msPerReading;
      return nowEpochMs;
    },
  };
  const executor = await opened({ clock });
  let turns = 0;
  let over = false;
  const turn = () => {
    turns += 1;
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  for (let ordinal = 0; ordinal < options.decisions; ordinal++) {
    const toolCalls = [{ tool: "write_file", input: { path: `f${ordinal}`, content: "x" } }];
    await executor.execute(
      { ordinal, id: `d${ordinal}`, dependsOn: [], toolCalls },
      { run: (_call, perform) => perform("") },
    );
  }
  over = true;
  return turns;
}

test("a run of decisions that need no I/O lets others of the process have their turn", async () => {
  assert.ok((await turnsOfOthers({ decisions: 50, msPerReading: 20 })) >= 50);
});

test("quick decisions do not pay for a turn each", async () => {
  assert.ok((await turnsOfOthers({ decisions: 50, msPerReading: 0 })) <= 1);
});

/** An executor whose state tells what it was asked for, and decisions of writes, reads and a failure. */
async function writing(heldContentBytes: number) {
  const asked: string[] = [];
  const content = {
    async get(sha256: string) {
      asked.push(sha256);
      return texts.get(sha256);
    },
  };
  const executor = await opened({ clock: { now: () => 0 }, content, heldContentBytes });
  const calls = (...toolCalls: readonly ToolCall[]) =>
    executor.execute(
      { ordinal: 0, id: "d", dependsOn: [], toolCalls },
      { run: (_call, perform) => perform("") },
    );
  return { executor, asked, calls };
}
const texts = new Map(["one", "two", "three"].map((text) => [sha256Hex(text), Buffer.from(text)]));
const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const read = (path: string) => ({ tool: "read_text_file", input: { path } });

test("content that the state finds is let go beyond a limit, the oldest first; what it does not find stays", async () => {
  const { executor, asked, calls } = await writing(5);
  await calls(write("a", "one"), write("b", "two"), write("c", "three"));
  await calls(read("a"), read("b"), read("c"));
  assert.deepEqual(asked, []);
  executor.contentsStored([sha256Hex("one"), sha256Hex("three")]);
  const { calls: reads } = await calls(read("a"), read("b"), read("c"));
  assert.deepEqual(asked, [sha256Hex("one")]);
  assert.deepEqual(
    reads.map(({ output }) => Buffer.from(output.bytes).toString()),
    ["one", "two", "three"],
  );
});

test("what a failed decision wrote takes nothing away that another wrote before", async () => {
  const { asked, calls } = await writing(0);
  await calls(write("a", "one"));
  const { outcome } = await calls(write("b", "one"), write("b", "two"), read("nothing"));
  assert.equal(outcome.status, "failed");
  await calls(read("a"));
  assert.deepEqual(asked, []);
});
