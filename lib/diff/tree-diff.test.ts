import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { compareTrees } from "../tree/compare-trees.ts";
import { type FileTree, storeFileTree } from "../tree/file-tree.testkit.ts";
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

  it("F15 F16 F17: a diff of any two trees, applied by git to the one, gives the other, and back", async () => {
    await fc.assert(
      fc.asyncProperty(randomTreeChanges, async ({ base, final }) => {
        const { baseRef, finalRef, pieces } = await diffOf(base, final);
        const verdict = await judge.judge(base, joined(await pieces()));
        assert.deepEqual(verdict, {
          base: baseRef.gitTreeId,
          applied: finalRef.gitTreeId,
          appliedWorkTree: finalRef.gitTreeId,
          appliedPlain: finalRef.gitTreeId,
          reversed: baseRef.gitTreeId,
        });
      }),
      { numRuns: Math.ceil(propertyRuns(300) / (changesPerTree / 2)) },
    );
  });

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
