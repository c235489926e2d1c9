import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { openStoredExecutor } from "./stored-executor.ts";

/** Runs decisions that need no I/O, and counts the turns that others of the process got meanwhile. */
async function turnsOfOthers(options: { readonly decisions: number; readonly msPerReading: number }) {
  let nowEpochMs = 0;
  const clock = {
    now: () => {
      nowEpochMs += options.msPerReading;
      return nowEpochMs;
    },
  };
  const trees = memoryTreeStore();
  const open = openStoredExecutor({
    treesOf: () => trees,
    runner: new ToolRunner({ registry: new ToolRegistry(builtinTools()) }),
    clock,
  });
  const plan = {
    name: "p",
    automationProfile: "manual" as const,
    resources: [{ name: "app", access: "write" as const, baseTree: emptyTree.sha256 }],
    resourceBindings: {},
    decisionCount: options.decisions,
    decisions: { kind: "inline" as const, decisions: [] },
  };
  const executor = await open(
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
    { overlay: new Map(), notLanded: new Map(), content: memoryContentStore() },
  );
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
