import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { contentSha256 } from "../content/content-state.ts";
import type { FileTree, TestFile } from "../tree/file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "../tree/git-judge.testkit.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { randomTreeHistory, type TreeHistory } from "../tree/random-tree.testkit.ts";
import { applyToTree } from "./apply-to-tree.ts";
import { checkTarget } from "./check-target.ts";
import { deriveMerge } from "./derive-merge.ts";
import { gitMergeFile } from "./git-merge-file.testkit.ts";
import { barring, entriesBetween, sameFile, storedTrees } from "./tree-entries.testkit.ts";

let git: GitJudge;
const mergeFile = gitMergeFile();
before(async () => {
  git = await gitJudge();
});
after(async () => {
  mergeFile.close();
  await git.close();
});

type Trees = Pick<TreeHistory, "base" | "planned" | "moved">;

/** What git makes of one path; `merged` tells that lines of both sides came together. */
function judgePath(sides: Record<"base" | "planned" | "moved", TestFile | undefined>): {
  readonly clean: boolean;
  readonly merged?: boolean;
  readonly file?: TestFile | undefined;
} {
  const { base, planned, moved } = sides;
  if (sameFile(moved, base)) return { clean: true, file: planned };
  if (sameFile(planned, base) || sameFile(planned, moved)) return { clean: true, file: moved };
  const files = [base, planned, moved].flatMap((file) => file ?? []);
  if (files.length < 3 || files.some(({ mode }) => mode === "120000")) return { clean: false };
  const [ours, theirs, old] = [moved, planned, base].map((file) => Buffer.from(file?.bytes ?? []));
  if (ours === undefined || theirs === undefined || old === undefined) return { clean: false };
  const mode = (moved?.mode === base?.mode ? planned : moved)?.mode ?? "100644";
  if (ours.equals(old) || ours.equals(theirs)) return { clean: true, file: { mode, bytes: theirs } };
  if (theirs.equals(old)) return { clean: true, file: { mode, bytes: ours } };
  const bytes = mergeFile.merge({ base: old, ours, theirs });
  return bytes === undefined
    ? { clean: false, merged: true }
    : { clean: true, merged: true, file: { mode, bytes } };
}

/** What git makes of all paths; no tree where one conflicts, or where a file and a directory would share a path. */
function judgeTrees({ base, planned, moved }: Trees): { tree: FileTree | undefined; merged: number } {
  const tree = new Map<string, TestFile>();
  let merged = 0;
  let clean = true;
  for (const path of new Set([...base.keys(), ...planned.keys(), ...moved.keys()])) {
    const verdict = judgePath({ base: base.get(path), planned: planned.get(path), moved: moved.get(path) });
    if (!verdict.clean) clean = false;
    if (verdict.clean && verdict.merged === true) merged += 1;
    if (verdict.file !== undefined) tree.set(path, verdict.file);
  }
  if ([...tree.keys()].some((path) => barring(tree, path).length > 0)) clean = false;
  return { tree: clean ? tree : undefined, merged };
}

/** Derives, holds what comes of it to the judge, and says what both thought. */
async function mergeAndJudge(trees: Trees) {
  const stored = await storedTrees(trees);
  const entries = entriesBetween(trees.base, trees.planned);
  const root = stored.root("moved").sha256;
  const derivation = await deriveMerge({
    planId: "p",
    of: "0".repeat(64),
    entries,
    target: { resource: "app", tree: root },
    trees: stored.trees,
    content: stored.content,
  });
  assert.equal(stored.puts(), 0, "deriving puts nothing");
  const expected = judgeTrees(trees);
  if (derivation.status === "conflicts") {
    assert.ok(derivation.conflicts.length > 0);
    const changes = entries;
    assert.ok((await checkTarget({ trees: stored.trees, root, changes })).length > 0);
    await assert.rejects(applyToTree({ trees: stored.trees, root, changes }), { code: "target_moved" });
    assert.equal(stored.puts(), 0, "conflicts change nothing");
    return { derived: false, expected };
  }
  const { changeset, newContents } = derivation;
  assert.ok(expected.tree !== undefined, "git sees a conflict");
  const paths = changeset.entries.map(({ path }) => path);
  assert.equal(new Set(paths).size, paths.length);
  for (const [sha256, bytes] of newContents) assert.equal(contentSha256(bytes), sha256);
  await stored.content.put([...newContents.values()]);
  const needed = changeset.entries.flatMap((entry) => entry.after?.sha256 ?? []);
  assert.deepEqual(await stored.content.missing(needed), []);
  const applied = await applyToTree({ trees: stored.trees, root, changes: changeset.entries });
  assert.equal(applied.gitTreeId, await git.treeId(expected.tree));
  return { derived: true, expected };
}

test("whatever two sides do to a tree, a merge ends in the tree that git's rules give, or in conflicts where they do too", async () => {
  await fc.assert(
    fc.asyncProperty(randomTreeHistory, async (history) => {
      const { derived, expected } = await mergeAndJudge(history);
      if (expected.tree !== undefined && expected.merged === 0) assert.ok(derived, "nothing was in its way");
    }),
    { numRuns: propertyRuns(120) },
  );
});

test("a check finds exactly the paths that are not as expected, and a clean one applies to git's tree", async () => {
  await fc.assert(
    fc.asyncProperty(randomTreeHistory, async ({ base, planned, moved }) => {
      const stored = await storedTrees({ base, planned, moved });
      const changes = entriesBetween(base, planned);
      const removed = new Set(changes.filter((change) => change.after === null).map(({ path }) => path));
      const expected = changes.filter(({ path, before: was }) => {
        const inTheWay = barring(moved, path);
        if (inTheWay.length > 0) return was !== null || inTheWay.some((other) => !removed.has(other));
        return !sameFile(moved.get(path), base.get(path));
      });
      const root = stored.root("moved").sha256;
      const conflicts = await checkTarget({ trees: stored.trees, root, changes });
      assert.deepEqual(
        conflicts.map(({ path }) => path),
        expected.map(({ path }) => path),
      );
      if (conflicts.length > 0) return;
      const tree = new Map(moved);
      for (const { path } of changes) {
        const file = planned.get(path);
        if (file === undefined) tree.delete(path);
        else tree.set(path, file);
      }
      const applied = await applyToTree({ trees: stored.trees, root, changes });
      assert.equal(applied.gitTreeId, await git.treeId(tree));
      // What was applied is stale at once, unless it changed nothing.
      const again = await checkTarget({ trees: stored.trees, root: applied.sha256, changes });
      assert.equal(again.length, changes.length);
    }),
    { numRuns: propertyRuns(120) },
  );
});

const sourceLine = fc.oneof(
  { weight: 3, arbitrary: fc.nat(400).map((n) => `  const value${n} = read(${n});\n`) },
  { weight: 1, arbitrary: fc.constantFrom("}\n", "\n", "  return;\n", "\r\n", "  }\n") },
);
const repeatedLine = fc.constantFrom("a\n", "b\n", "\n", "}\n");
const edits = fc.array(
  fc.record({
    at: fc.nat(1_000),
    remove: fc.nat(2),
    insert: fc.array(fc.oneof(sourceLine, fc.constantFrom("added\n", "}\n")), { maxLength: 3 }),
  }),
  { maxLength: 2 },
);

const textFile = fc
  .record({
    lines: fc.oneof(
      fc.array(sourceLine, { maxLength: 40, size: "max" }),
      fc.array(repeatedLine, { maxLength: 40, size: "max" }),
    ),
    planned: edits,
    moved: edits,
    cut: fc.boolean(),
    modes: fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
  })
  .map(({ lines, planned, moved, cut, modes }) => {
    const file = (changes: typeof planned, executable: boolean): TestFile => {
      const edited = [...lines];
      for (const { at, remove, insert } of changes)
        edited.splice(at % (edited.length + 1), remove, ...insert);
      const text = edited.join("");
      return {
        mode: executable ? "100755" : "100644",
        bytes: Buffer.from(cut ? text.replace(/\n$/, "") : text),
      };
    };
    return { base: file([], modes[0]), planned: file(planned, modes[1]), moved: file(moved, modes[2]) };
  });

const textTrees: fc.Arbitrary<Trees> = fc.array(textFile, { minLength: 1, maxLength: 2 }).map((files) => {
  const tree = (side: keyof Trees): FileTree =>
    new Map(files.map((file, index) => [`src/file ${index}`, file[side]]));
  return { base: tree("base"), planned: tree("planned"), moved: tree("moved") };
});

test("of the texts that git merges cleanly at least 95 in 100 merge here, and to the same bytes", async () => {
  let clean = 0;
  let merged = 0;
  await fc.assert(
    fc.asyncProperty(textTrees, async (trees) => {
      const { derived, expected } = await mergeAndJudge(trees);
      if (expected.tree === undefined || expected.merged === 0) return;
      clean += 1;
      if (derived) merged += 1;
    }),
    { numRuns: propertyRuns(200) },
  );
  process.stdout.write(`# ${merged} of ${clean} trees that git merges cleanly\n`);
  assert.ok(clean > 20 && merged >= clean * 0.95, `${merged} of ${clean}`);
});
