import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { compareTrees } from "../tree/compare-trees.ts";
import type { FileMode } from "../tree/file-state.ts";
import { type FileTree, storeFileTree, type TestFile } from "../tree/file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "../tree/git-judge.testkit.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { changesPerTree, randomTreeChange, randomTreeChanges } from "../tree/random-tree.testkit.ts";
import { type FileDiffPiece, treeDiff } from "./tree-diff.ts";

const diffOf = async (base: FileTree, final: FileTree) => {
  const stores = { contents: memoryContentStore(), trees: memoryTreeStore() };
  const baseRef = await storeFileTree(stores, base);
  const finalRef = await storeFileTree(stores, final);
  const differences = await compareTrees(stores.trees, baseRef.sha256, finalRef.sha256);
  const readContent = async (sha256: string): Promise<Uint8Array> => {
    const bytes = await stores.contents.get(sha256);
    assert.ok(bytes, `content ${sha256} is there`);
    return bytes;
  };
  const pieces = async (after?: string): Promise<readonly FileDiffPiece[]> => {
    const found: FileDiffPiece[] = [];
    const diff = { differences, readContent, ...(after === undefined ? {} : { after }) };
    for await (const piece of treeDiff(diff)) found.push(piece);
    return found;
  };
  return { baseRef, finalRef, pieces };
};

const joined = (pieces: readonly FileDiffPiece[]): Uint8Array =>
  Buffer.concat(pieces.map((piece) => piece.bytes));

describe("treeDiff", () => {
  let judge: GitJudge;
  before(async () => {
    judge = await gitJudge();
  });
  after(() => judge.close());

  const assertJudged = async (base: FileTree, final: FileTree): Promise<void> => {
    const { baseRef, finalRef, pieces } = await diffOf(base, final);
    assert.deepEqual(await judge.judge(base, joined(await pieces())), {
      base: baseRef.gitTreeId,
      applied: finalRef.gitTreeId,
      appliedWorkTree: finalRef.gitTreeId,
      appliedPlain: finalRef.gitTreeId,
      reversed: baseRef.gitTreeId,
      reversedPlain: baseRef.gitTreeId,
    });
  };

  it("F15 F16 F17: a diff of any two trees, applied by git to the one, gives the other, and back", async () => {
    await fc.assert(
      fc.asyncProperty(randomTreeChanges, async ({ base, final }) => {
        await assertJudged(base, final);
      }),
      { numRuns: Math.ceil(propertyRuns(300) / (changesPerTree / 2)) },
    );
  });

  const file = (text: string, mode: FileMode = "100644") => ({ mode, bytes: Buffer.from(text, "latin1") });
  const hazards: readonly (readonly [string, Record<string, TestFile>, Record<string, TestFile>])[] = [
    ["a link moved below where it was", { a: file("x", "120000") }, { "a/b": file("x", "120000") }],
    ["a link moved up in place of its directory", { "a/b": file("x", "120000") }, { a: file("x", "120000") }],
    ["a file moved below where it was", { a: file("x\n") }, { "a/b/c": file("x\n") }],
    [
      "a link to a directory that becomes one, with a file of the target's name",
      { "d/f": file("1\n"), l: file("d", "120000") },
      { "d/f": file("1\n"), "l/f": file("2\n") },
    ],
    [
      "a directory that becomes a link to its copy",
      { "l/f": file("1\n") },
      { "d/f": file("1\n"), l: file("d", "120000") },
    ],
    ["two files that change places", { a: file("1\n"), b: file("2\n") }, { a: file("2\n"), b: file("1\n") }],
    [
      "empty, binary and mode changes under names that end in a space",
      { "a /m": file("1"), "b /e": file("") },
      { "a /m": file("1", "100755"), " /e": file("\0"), "b  /x ": file("") },
    ],
    ["a text whose NUL comes too late for git", { a: file("") }, { a: file(`${"x".repeat(8000)}\0\n`) }],
    ["a binary that becomes text", { a: file("\0") }, { a: file("text\n") }],
    ["a file named like a device", { "dev/null": file("1\n") }, { "dev/null": file("2\n") }],
    ["the last file going", { a: file("1\n") }, {}],
  ];
  for (const [what, base, final] of hazards) {
    it(`turns ${what} into what git applies, and back`, async () => {
      await assertJudged(new Map(Object.entries(base)), new Map(Object.entries(final)));
    });
  }

  it("pages at file boundaries: pages together are the whole diff", async () => {
    await fc.assert(
      fc.asyncProperty(randomTreeChange, async ({ base, final }) => {
        const { pieces } = await diffOf(base, final);
        const whole = await pieces();
        let paged: readonly FileDiffPiece[] = [];
        for (const piece of whole) {
          const [next] = await pieces(paged.at(-1)?.path);
          assert.deepEqual(next, piece);
          paged = [...paged, piece];
        }
        assert.deepEqual(await pieces(whole.at(-1)?.path ?? ""), []);
      }),
      { numRuns: propertyRuns(50) },
    );
  });

  it("F16: shows a move as one rename at its new path", async () => {
    const file = { mode: "100644", bytes: Buffer.from("text\n") } as const;
    const { pieces } = await diffOf(new Map([["old b/x", file]]), new Map([["new b/y", file]]));
    const [piece, ...others] = await pieces();
    assert.deepEqual(others, []);
    assert.equal(piece?.path, "new b/y");
    assert.equal(
      Buffer.from(piece.bytes).toString(),
      [
        "diff --git a/old b/x b/new b/y",
        "similarity index 100%",
        "rename from old b/x",
        "rename to new b/y",
        "",
      ].join("\n"),
    );
  });

  it("F11: is empty when nothing changed", async () => {
    const tree: FileTree = new Map([["a", { mode: "100644", bytes: Buffer.from("text") }]]);
    assert.deepEqual(await (await diffOf(tree, tree)).pieces(), []);
  });
});
