import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "../canonical/sha256.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import { heldContents } from "./held-contents.ts";

test("all that was written since a mark is let go with it, and nothing else", async () => {
  const workspace = storedWorkspace({
    trees: memoryTreeStore(),
    content: memoryContentStore(),
    baseTree: emptyTree.sha256,
  });
  const write = (path: string, text: string) =>
    workspace.write(path, { kind: "file", mode: "100644", bytes: Buffer.from(text) });
  const held = heldContents([workspace], 1_000);
  await write("a", "one");
  const drop = held.mark();
  await write("b", "one");
  await write("b", "two");
  await write("c", "three");
  drop();
  assert.deepEqual([...workspace.newContents().keys()], [sha256Hex("one")]);
});
