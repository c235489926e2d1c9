import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { netChanges } from "../changeset/net-changes.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { treeDiff } from "../diff/tree-diff.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { type ToolRequest, ToolRunner } from "../tools/tool-runner.ts";
import { type FileTree, storeFileTree, writeFileTree } from "../tree/file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "../tree/git-judge.testkit.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { randomTree } from "../tree/random-tree.testkit.ts";
import { directoryWorkspace } from "../workspace/directory-workspace.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type ExecutedDecision, executeDecision } from "./execute-decision.ts";
import { randomDecisions } from "./random-calls.testkit.ts";

const runner = new ToolRunner({ registry: new ToolRegistry(builtinTools()) });

interface Execution {
  readonly decisions: readonly ExecutedDecision[];
  readonly gitTreeIds: readonly string[];
}

const execute = async (
  workspace: Workspace,
  decisions: readonly (readonly ToolRequest[])[],
): Promise<Execution> => {
  const executed: ExecutedDecision[] = [];
  const gitTreeIds: string[] = [];
  for (const [index, toolCalls] of decisions.entries()) {
    executed.push(
      await executeDecision({
        decision: { id: `d${index}`, toolCalls },
        resources: new Map([["app", { workspace, access: "write" }]]),
        bindings: {},
        runner,
        clock: { now: () => 0 },
      }),
    );
    gitTreeIds.push(await (await workspace.snapshot()).gitTreeId());
  }
  return { decisions: executed, gitTreeIds };
};

const diffOf = async ({ decisions }: Execution): Promise<Uint8Array> => {
  const contents = new Map(decisions.flatMap((decision) => [...decision.contents]));
  const differences = netChanges(
    decisions.flatMap((decision) => decision.entries),
    "app",
  );
  const pieces: Uint8Array[] = [];
  const readContent = async (sha256: string): Promise<Uint8Array> => {
    const bytes = contents.get(sha256);
    assert.ok(bytes, "the content of every entry was captured");
    return bytes;
  };
  for await (const piece of treeDiff({ differences, readContent })) pieces.push(piece.bytes);
  return Buffer.concat(pieces);
};

const casesWithCalls = randomTree.chain((base) =>
  randomDecisions(base).map((decisions) => ({ base, decisions })),
);

describe("executeDecision on random trees with random calls", () => {
  let judge: GitJudge;
  let scratch: string;
  before(async () => {
    judge = await gitJudge();
    scratch = await mkdtemp(join(tmpdir(), "planledger-execute-"));
  });
  after(async () => {
    await judge.close();
    await rm(scratch, { recursive: true, force: true });
  });

  const onStored = async (base: FileTree, decisions: readonly (readonly ToolRequest[])[]) => {
    const stores = { contents: memoryContentStore(), trees: memoryTreeStore() };
    const { sha256 } = await storeFileTree(stores, base);
    return execute(
      storedWorkspace({ trees: stores.trees, content: stores.contents, baseTree: sha256 }),
      decisions,
    );
  };
  const onDisk = async (base: FileTree, decisions: readonly (readonly ToolRequest[])[]) => {
    const root = await mkdtemp(join(scratch, "run-"));
    await writeFileTree(root, base);
    const executed = await execute(directoryWorkspace({ root }), decisions);
    await rm(root, { recursive: true });
    return executed;
  };

  it("F15 F16 F17: gives the same on both workspaces: outcomes, output, entries, reads, content, tree ids", async () => {
    await fc.assert(
      fc.asyncProperty(casesWithCalls, async ({ base, decisions }) => {
        assert.deepEqual(await onDisk(base, decisions), await onStored(base, decisions));
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it("F22: the diff of the entries, applied by git to the base, gives the workspace's own tree id", async () => {
    await fc.assert(
      fc.asyncProperty(casesWithCalls, async ({ base, decisions }) => {
        const executed = await onStored(base, decisions);
        const verdict = await judge.judge(base, await diffOf(executed));
        assert.equal(verdict.applied, executed.gitTreeIds.at(-1));
        assert.equal(verdict.appliedWorkTree, executed.gitTreeIds.at(-1));
        assert.equal(verdict.reversed, verdict.base);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it("R26: a decision that fails leaves no entry and the tree as it was", async () => {
    const failing: ToolRequest = { tool: "read_text_file", input: { path: "there/is/no/such file" } };
    await fc.assert(
      fc.asyncProperty(casesWithCalls, async ({ base, decisions }) => {
        const failed = decisions.map((calls) => [...calls, failing]);
        const untouched = await onStored(base, [[]]);
        for (const executed of [await onStored(base, failed), await onDisk(base, failed)]) {
          assert.deepEqual(
            executed.decisions.flatMap(({ entries }) => entries),
            [],
          );
          assert.deepEqual(new Set(executed.gitTreeIds), new Set(untouched.gitTreeIds));
        }
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});
