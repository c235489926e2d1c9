import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { type ToolRequest, ToolRunner } from "../tools/tool-runner.ts";
import { type FileTree, storeFileTree } from "../tree/file-tree.testkit.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { randomTreeChange } from "../tree/random-tree.testkit.ts";
import { type FoundNode, namesSha256, subtreeSha256 } from "../workspace/read-digest.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { WorkspaceRead } from "../workspace/workspace-read.ts";
import { foundNode } from "../workspace/workspace-view.ts";
import { executeDecision } from "./execute-decision.ts";
import { randomDecisions } from "./random-calls.testkit.ts";

const runner = new ToolRunner({ registry: new ToolRegistry(builtinTools()) });

const workspaceOf = async (tree: FileTree): Promise<Workspace> => {
  const stores = { contents: memoryContentStore(), trees: memoryTreeStore() };
  const { sha256 } = await storeFileTree(stores, tree);
  return storedWorkspace({ trees: stores.trees, content: stores.contents, baseTree: sha256 });
};

const execute = (workspace: Workspace, toolCalls: readonly ToolRequest[]) =>
  executeDecision({
    decision: { id: "d", toolCalls },
    resources: new Map([["app", { workspace, access: "write" }]]),
    bindings: {},
    runner,
    clock: { now: () => 0 },
  });

const subtree = async (workspace: Workspace, path: string): Promise<Map<string, FoundNode>> => {
  const found = new Map<string, FoundNode>();
  for (const { name } of await workspace.list(path)) {
    const child = path === "" ? name : `${path}/${name}`;
    const node = await workspace.lookup(child);
    if (node !== undefined) found.set(child, foundNode(node));
    for (const [below, one] of await subtree(workspace, child)) found.set(below, one);
  }
  return found;
};

/** Whether a read would find the same on this workspace. */
const holds = async (workspace: Workspace, read: WorkspaceRead): Promise<boolean> => {
  switch (read.kind) {
    case "node": {
      const node = await workspace.lookup(read.path);
      const found = node === undefined ? null : foundNode(node);
      return JSON.stringify(found) === JSON.stringify(read.found);
    }
    case "names":
      return namesSha256(await workspace.list(read.path)) === read.sha256;
    case "subtree":
      return subtreeSha256(await subtree(workspace, read.path)) === read.sha256;
    default:
      return read satisfies never;
  }
};

const casesWithTwoBases = randomTreeChange.chain(({ base, final }) =>
  randomDecisions(base).map((decisions) => ({ base, final, calls: decisions.flat().slice(0, 6) })),
);

describe("the reads of a decision", () => {
  it("tell the tree as it stood before the decision, whatever it wrote before it read", async () => {
    await fc.assert(
      fc.asyncProperty(casesWithTwoBases, async ({ base, calls }) => {
        const { reads } = await execute(await workspaceOf(base), calls);
        const untouched = await workspaceOf(base);
        for (const read of reads) assert.ok(await holds(untouched, read), JSON.stringify(read));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("are all that it depends on: where they hold on another tree, the decision does the same there", async () => {
    let held = 0;
    await fc.assert(
      fc.asyncProperty(casesWithTwoBases, async ({ base, final, calls }) => {
        const proposed = await execute(await workspaceOf(base), calls);
        const other = await workspaceOf(final);
        for (const read of proposed.reads) if (!(await holds(other, read))) return;
        held += 1;
        assert.deepEqual(await execute(other, calls), proposed);
      }),
      { numRuns: propertyRuns(500) },
    );
    assert.ok(held > 0, "some proposals held");
  });

  it("of a failed decision are kept", async () => {
    const { reads } = await execute(await workspaceOf(new Map()), [
      { tool: "read_text_file", input: { path: "a/b" } },
    ]);
    assert.deepEqual(reads, [
      { kind: "node", resource: "app", path: "a", found: null },
      { kind: "node", resource: "app", path: "a/b", found: null },
    ]);
  });
});
