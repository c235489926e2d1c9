import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryContentStore } from "../../content/memory-content-store.ts";
import { storeFileTree } from "../../tree/file-tree.testkit.ts";
import { memoryTreeStore } from "../../tree/memory-tree-store.ts";
import { readRecord } from "../../workspace/read-record.ts";
import { storedWorkspace } from "../../workspace/stored-workspace.ts";
import { toolWorkspace } from "../../workspace/tool-workspace.ts";
import type { Tool } from "../tool.ts";
import { ToolRegistry } from "../tool-registry.ts";
import { ToolRunner } from "../tool-runner.ts";
import { applyPatch } from "./apply-patch.ts";
import { editFile } from "./edit-file.ts";
import { searchFiles } from "./search-files.ts";

const largest = Buffer.concat([Buffer.from("x0"), Buffer.alloc(16 * 1024 * 1024 - 1024, "ab")]);

const outcomeOf = async (
  tool: Tool,
  files: Readonly<Record<string, Uint8Array>>,
  input: Record<string, unknown>,
) => {
  const stores = { contents: memoryContentStore(), trees: memoryTreeStore() };
  const tree = Object.entries(files).map(
    ([path, bytes]) => [path, { mode: "100644" as const, bytes }] as const,
  );
  const { sha256 } = await storeFileTree(stores, new Map(tree));
  const workspace = storedWorkspace({ trees: stores.trees, content: stores.contents, baseTree: sha256 });
  const handle = toolWorkspace({ resource: "app", access: "write", workspace, record: readRecord("app") });
  const outcome = await new ToolRunner({ registry: new ToolRegistry([tool]) }).run(
    { tool: tool.name, input },
    { workspace: () => handle.workspace },
  );
  await handle.close();
  return outcome.status === "failed" ? outcome.failure : outcome;
};

const chainOfEdits = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ oldText: `x${index}`, newText: `x${index + 1}` }));

// Each of these is one call of far less than 256 KiB that would keep its host busy for minutes to hours.
describe("what a call may do is bounded", () => {
  it("edit_file refuses edits that together pass over more than its limit, before it makes one", async () => {
    const failure = await outcomeOf(editFile, { big: largest }, { path: "big", edits: chainOfEdits(5000) });
    assert.partialDeepStrictEqual(failure, { code: "limit_exceeded", details: { limit: 1024 ** 3 } });
  });

  it("edit_file ends at its time limit in between its edits", async () => {
    const failure = await outcomeOf(
      { ...editFile, timeLimitMs: 1 },
      { big: largest },
      { path: "big", edits: chainOfEdits(20) },
    );
    assert.partialDeepStrictEqual(failure, { code: "tool_timed_out" });
  });

  it("search_files ends at its time limit under patterns that are in a thousand states at once", async () => {
    const segment = "a".repeat(60);
    const paths = Array.from({ length: 50 }, (_, index) => `${`${segment}/`.repeat(15)}f${index}`);
    const costly = (end: string) => `**/${"*a*?".repeat(250)}z${end}`;
    const failure = await outcomeOf(
      { ...searchFiles, timeLimitMs: 1 },
      Object.fromEntries(paths.map((path) => [path, Buffer.from("x")])),
      {
        path: ".",
        pattern: costly(""),
        excludePatterns: Array.from({ length: 100 }, (_, index) => costly(String(index))),
      },
    );
    assert.partialDeepStrictEqual(failure, { code: "tool_timed_out" });
  });

  it("apply_patch refuses to hold more than its limit of the files that a patch copies", async () => {
    const patch = Array.from(
      { length: 1000 },
      (_, index) => `diff --git a/big b/copy${index}\ncopy from big\ncopy to copy${index}\n`,
    ).join("");
    const failure = await outcomeOf(applyPatch, { big: largest }, { patch });
    assert.partialDeepStrictEqual(failure, { code: "limit_exceeded", details: { limit: 128 * 1024 ** 2 } });
  });
});
