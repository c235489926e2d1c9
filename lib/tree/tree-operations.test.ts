import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { contentState } from "../content/content-state.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { buildTree } from "./build-tree.ts";
import { byteOrder } from "./byte-order.ts";
import { compareTrees } from "./compare-trees.ts";
import { countingTreeStore } from "./counting-tree-store.ts";
import { editTree } from "./edit-tree.ts";
import { emptyTree } from "./empty-tree.ts";
import type { FileState } from "./file-state.ts";
import { type FileTree, storeFileTree } from "./file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "./git-judge.testkit.ts";
import { lookupPath } from "./lookup-path.ts";
import { memoryTreeStore } from "./memory-tree-store.ts";
import { propertyRuns } from "./property-runs.testkit.ts";
import { randomTree, randomTreeChange } from "./random-tree.testkit.ts";
import { walkTree } from "./walk-tree.ts";

const state = (text: string): FileState => contentState(Buffer.from(text), "100644");
const states = (tree: FileTree): Map<string, FileState> =>
  new Map([...tree].map(([path, { mode, bytes }]) => [path, contentState(bytes, mode)]));
const sorted = (tree: FileTree) =>
  [...states(tree)].map(([path, file]) => ({ path, file })).sort((a, b) => byteOrder(a.path, b.path));
const stores = () => ({ contents: memoryContentStore(), trees: countingTreeStore(memoryTreeStore()) });

describe("a stored tree and git's", () => {
  let judge: GitJudge;
  before(async () => {
    judge = await gitJudge();
  });
  after(() => judge.close());

  it("has the tree id that git gives the same files", async () => {
    await fc.assert(
      fc.asyncProperty(randomTree, async (tree) => {
        const ref = await storeFileTree(stores(), tree);
        assert.equal(ref.gitTreeId, await judge.treeId(tree));
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});

describe("tree operations on random trees", () => {
  it("an edited tree is the tree built anew, and compares with its base path by path", async () => {
    await fc.assert(
      fc.asyncProperty(randomTreeChange, async ({ base, final }) => {
        const { contents, trees } = stores();
        const baseRef = await storeFileTree({ contents, trees }, base);
        const finalRef = await storeFileTree({ contents, trees }, final);
        const [was, is] = [states(base), states(final)];
        const expected = [...new Set([...was.keys(), ...is.keys()])]
          .map((path) => ({ path, before: was.get(path), after: is.get(path) }))
          .filter((one) => one.before?.sha256 !== one.after?.sha256 || one.before?.mode !== one.after?.mode)
          .sort((a, b) => byteOrder(a.path, b.path));
        assert.deepEqual(await compareTrees(trees, baseRef.sha256, finalRef.sha256), expected);
        for (const edits of [expected, expected.toReversed()]) {
          const edited = await editTree(
            trees,
            baseRef.sha256,
            new Map(edits.map(({ path, after }) => [path, after])),
          );
          assert.deepEqual(edited, finalRef);
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("a walk meets every file in byte order, and a lookup finds each and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(randomTree, randomTree, async (tree, other) => {
        const { contents, trees } = stores();
        const root = await storeFileTree({ contents, trees }, tree);
        const walked = [];
        for await (const file of walkTree(trees, root.sha256)) walked.push(file);
        assert.deepEqual(walked, sorted(tree));
        for (const path of [...tree.keys(), ...other.keys()]) {
          const found = await lookupPath(trees, root.sha256, path);
          const below = sorted(tree).filter((file) => file.path.startsWith(`${path}/`));
          assert.deepEqual(found?.kind === "file" ? found.file : undefined, states(tree).get(path));
          assert.equal(found?.kind === "directory", below.length > 0);
          const inside = [];
          for await (const file of walkTree(trees, root.sha256, path)) inside.push(file);
          assert.deepEqual(inside, found?.kind === "file" ? [{ path, file: found.file }] : below);
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

describe("editTree", () => {
  const files = [
    { path: "a/b", file: state("1") },
    { path: "a/c/d", file: state("2") },
    { path: "e", file: state("3") },
  ];
  const edited = async (edits: ReadonlyMap<string, FileState | undefined>): Promise<readonly string[]> => {
    const trees = memoryTreeStore();
    const root = await editTree(trees, (await buildTree(trees, files)).sha256, edits);
    const paths: string[] = [];
    for await (const { path } of walkTree(trees, root.sha256)) paths.push(path);
    return paths;
  };

  it("lets directories vanish with their last file", async () => {
    assert.deepEqual(await edited(new Map([["a/c/d", undefined]])), ["a/b", "e"]);
  });
  it("removes a directory with all it holds", async () => {
    assert.deepEqual(await edited(new Map([["a", undefined]])), ["e"]);
  });
  it("turns a file into a directory and a directory into a file", async () => {
    assert.deepEqual(
      await edited(
        new Map([
          ["e/f", state("4")],
          ["a", state("5")],
          ["a/b", undefined],
        ]),
      ),
      ["a", "e/f"],
    );
  });
  it("starts a removed directory anew when something is put below it", async () => {
    const edits = new Map([
      ["a/n", state("4")],
      ["a", undefined],
    ]);
    assert.deepEqual(await edited(edits), ["a/n", "e"]);
  });
  it("leaves a file that removals name something below", async () => {
    assert.deepEqual(await edited(new Map([["e/f/g", undefined]])), ["a/b", "a/c/d", "e"]);
  });
  it("ends in the empty tree, which is stored", async () => {
    const trees = memoryTreeStore();
    const base = await buildTree(trees, files);
    const root = await editTree(
      trees,
      base.sha256,
      new Map([
        ["a", undefined],
        ["e", undefined],
      ]),
    );
    assert.deepEqual(root, emptyTree);
    assert.deepEqual(await trees.get(root.sha256), { entries: [] });
  });
  it("refuses a file at a path and below it, in either order, and a bad path", async () => {
    const pair = [
      ["x", state("1")],
      ["x/y/z", state("2")],
    ] as const;
    await assert.rejects(edited(new Map(pair)), ValidationError);
    await assert.rejects(edited(new Map(pair.toReversed())), ValidationError);
    await assert.rejects(edited(new Map([["../x", state("1")]])), { code: "path_refused" });
  });
  it("puts nothing when nothing changes", async () => {
    const trees = countingTreeStore(memoryTreeStore());
    const base = await buildTree(trees, files);
    const { writes } = trees.counts();
    const edits = new Map([
      ["e", state("3")],
      ["nothing/here", undefined],
    ]);
    assert.deepEqual(await editTree(trees, base.sha256, edits), base);
    assert.equal(trees.counts().writes, writes);
  });
});

describe("buildTree", () => {
  it("refuses a path twice, and a path that is file and directory", async () => {
    const trees = memoryTreeStore();
    const file = state("1");
    await assert.rejects(
      buildTree(trees, [
        { path: "a", file },
        { path: "a", file },
      ]),
      /comes twice/,
    );
    await assert.rejects(
      buildTree(trees, [
        { path: "a/b", file },
        { path: "a", file },
      ]),
      ValidationError,
    );
  });
  it("puts the empty tree when there are no files", async () => {
    const trees = memoryTreeStore();
    assert.deepEqual(await buildTree(trees, []), emptyTree);
    assert.deepEqual(await trees.get(emptyTree.sha256), { entries: [] });
  });
});

it("on 20,000 files, a lookup, an edit and a comparison load only the directories along the path", async () => {
  const trees = countingTreeStore(memoryTreeStore());
  const file = state("1");
  const files = Array.from({ length: 20_000 }, (_, index) => ({
    path: `d${index % 20}/e${index % 400}/f${index}`,
    file,
  }));
  const root = await buildTree(trees, files);
  const counted = async (work: () => Promise<unknown>) => {
    const start = trees.counts();
    await work();
    const end = trees.counts();
    return { reads: end.reads - start.reads, writes: end.writes - start.writes };
  };
  let edited = root;
  const path = "d7/e27/f427";
  assert.deepEqual(await counted(() => lookupPath(trees, root.sha256, path)), { reads: 3, writes: 0 });
  const edit = async (): Promise<void> => {
    edited = await editTree(trees, root.sha256, new Map([[path, state("2")]]));
  };
  assert.deepEqual(await counted(edit), { reads: 3, writes: 3 });
  assert.deepEqual(await counted(() => compareTrees(trees, root.sha256, edited.sha256)), {
    reads: 6,
    writes: 0,
  });
});

it("a walk that is stopped at the first file has loaded no more than a few directories", async () => {
  const trees = countingTreeStore(memoryTreeStore());
  const files = Array.from({ length: 500 }, (_, index) => ({ path: `d${index}/f`, file: state("1") }));
  const root = await buildTree(trees, files);
  for await (const { path } of walkTree(trees, root.sha256)) {
    assert.equal(path, "d0/f");
    break;
  }
  assert.ok(trees.counts().reads <= 10, `${trees.counts().reads} reads`);
});

it("a walk throws where a directory is missing, after the files before it", async () => {
  const trees = memoryTreeStore();
  const [missing] = await memoryTreeStore().put([
    { entries: [{ kind: "file", name: "x", file: state("1") }] },
  ]);
  assert.ok(missing);
  const [root] = await trees.put([
    {
      entries: [
        { kind: "file", name: "a", file: state("1") },
        { kind: "directory", name: "b", directory: missing },
      ],
    },
  ]);
  const walked: string[] = [];
  await assert.rejects(async () => {
    for await (const { path } of walkTree(trees, root?.sha256 ?? "")) walked.push(path);
  }, /There is no directory/);
  assert.deepEqual(walked, ["a"]);
});
