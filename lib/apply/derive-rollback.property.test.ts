import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import type { FileTree, TestFile } from "../tree/file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "../tree/git-judge.testkit.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { randomTreeHistory } from "../tree/random-tree.testkit.ts";
import { applyToTree } from "./apply-to-tree.ts";
import { deriveRollback } from "./derive-rollback.ts";
import { barring, entriesBetween, sameFile, storedTrees } from "./tree-entries.testkit.ts";

let git: GitJudge;
before(async () => {
  git = await gitJudge();
});
after(() => git.close());

interface Trees {
  readonly base: FileTree;
  readonly planned: FileTree;
  readonly now: FileTree;
}

async function rollBack({ base, planned, now }: Trees) {
  const stored = await storedTrees({ base, planned, now });
  const root = stored.root("now").sha256;
  const derivation = await deriveRollback({
    planId: "p",
    undoes: "0".repeat(64),
    entries: entriesBetween(base, planned),
    revision: { before: stored.root("base").sha256, after: stored.root("planned").sha256 },
    target: { resource: "app", tree: root },
    trees: stored.trees,
    decisions: [],
    isExternal: () => false,
  });
  assert.equal(stored.puts(), 0, "deriving puts nothing");
  return { stored, root, derivation };
}

test("a rollback of what stands as it was applied restores the very tree of before", async () => {
  await fc.assert(
    fc.asyncProperty(randomTreeHistory, async ({ base, planned }) => {
      const { stored, root, derivation } = await rollBack({ base, planned, now: planned });
      assert.ok(derivation.status === "derived");
      const { entries } = derivation.changeset;
      const restored = await applyToTree({ trees: stored.trees, root, changes: entries });
      assert.deepEqual(restored, stored.root("base"));
      assert.equal(restored.gitTreeId, await git.treeId(base));
    }),
    { numRuns: propertyRuns(100) },
  );
});

test("after later work a rollback takes back the touched paths alone, or lists exactly those that later work stands on", async () => {
  await fc.assert(
    fc.asyncProperty(randomTreeHistory, async ({ base, planned, later }) => {
      const { stored, root, derivation } = await rollBack({ base, planned, now: later });
      const tree = new Map<string, TestFile>(later);
      const changes = entriesBetween(base, planned);
      const created = new Set(changes.filter((change) => change.before === null).map(({ path }) => path));
      const standing: string[] = [];
      for (const { path } of changes) {
        const inTheWay = barring(later, path);
        const isAbsent = planned.get(path) === undefined;
        const blocked = inTheWay.length > 0 && !(isAbsent && inTheWay.every((other) => created.has(other)));
        const differs =
          !sameFile(later.get(path), planned.get(path)) && !sameFile(later.get(path), base.get(path));
        if (blocked || differs) standing.push(path);
        const file = base.get(path);
        if (file === undefined) tree.delete(path);
        else tree.set(path, file);
      }
      if (derivation.status === "conflicts") {
        assert.deepEqual(
          derivation.conflicts.map(({ path }) => path),
          standing,
        );
        return;
      }
      assert.deepEqual(standing, []);
      const { entries } = derivation.changeset;
      const restored = await applyToTree({ trees: stored.trees, root, changes: entries });
      assert.equal(restored.gitTreeId, await git.treeId(tree));
    }),
    { numRuns: propertyRuns(100) },
  );
});
