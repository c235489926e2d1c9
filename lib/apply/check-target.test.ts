import assert from "node:assert/strict";
import { test } from "node:test";
import { countingTreeStore } from "../tree/counting-tree-store.ts";
import type { FileTree } from "../tree/file-tree.testkit.ts";
import { checkTarget } from "./check-target.ts";
import { entriesBetween, storedTrees } from "./tree-entries.testkit.ts";

const treeOf = (files: Readonly<Record<string, string>>): FileTree =>
  new Map(Object.entries(files).map(([path, text]) => [path, { mode: "100644", bytes: Buffer.from(text) }]));

test("a check loads each directory along the touched paths once, whatever else the tree holds", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, index) => [`d${index % 20}/e${index % 40}/f${index}`, "x"]),
  );
  const base = treeOf({ ...many, "src/a/one": "1", "src/a/two": "1" });
  const planned = treeOf({ ...many, "src/a/one": "2", "src/a/two": "2", "src/new/three": "3" });
  const stored = await storedTrees({ base });
  const trees = countingTreeStore(stored.trees);
  const conflicts = await checkTarget({
    trees,
    root: stored.root("base").sha256,
    changes: entriesBetween(base, planned),
  });
  assert.deepEqual(conflicts, []);
  // The root, src, src/a.
  assert.deepEqual(trees.counts(), { reads: 3, writes: 0 });
});

test("an expected absence is checked like content, and what stands in a place is named", async () => {
  const now = treeOf({ a: "mine", "b/x": "1", c: "1" });
  const stored = await storedTrees({ now });
  const changes = entriesBetween(treeOf({ d: "old" }), treeOf({ a: "1", b: "1", "c/x": "1" }));
  const conflicts = await checkTarget({ trees: stored.trees, root: stored.root("now").sha256, changes });
  const found = entriesBetween(new Map(), now)[0]?.after;
  const old = changes.find(({ path }) => path === "d")?.before;
  assert.deepEqual(conflicts, [
    { path: "a", expected: null, found, reason: "moved" },
    { path: "b", expected: null, found: { kind: "directory" }, reason: "blocked" },
    { path: "c/x", expected: null, found: { kind: "below_file" }, reason: "blocked" },
    { path: "d", expected: old, found: null, reason: "moved" },
  ]);
});
