import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { memoryContentStore } from "../../content/memory-content-store.ts";
import { treeDiff } from "../../diff/tree-diff.ts";
import { compareTrees } from "../../tree/compare-trees.ts";
import { type FileTree, storeFileTree } from "../../tree/file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "../../tree/git-judge.testkit.ts";
import { memoryTreeStore } from "../../tree/memory-tree-store.ts";
import { propertyRuns } from "../../tree/property-runs.testkit.ts";
import { randomTreeChange } from "../../tree/random-tree.testkit.ts";
import { linkTargetRefusal } from "../../workspace/link-target.ts";
import { readRecord } from "../../workspace/read-record.ts";
import { storedWorkspace } from "../../workspace/stored-workspace.ts";
import { toolWorkspace } from "../../workspace/tool-workspace.ts";
import { workBudget } from "../work-budget.ts";
import { parsePatch } from "./parse-patch.ts";
import { patchReader } from "./patch-reader.ts";
import { patchWorkspace } from "./patch-workspace.ts";

const text = (content: string, mode: "100644" | "100755" = "100644") => ({
  mode,
  bytes: Buffer.from(content),
});

const applied = async (base: FileTree, patch: string | Uint8Array) => {
  const stores = { contents: memoryContentStore(), trees: memoryTreeStore() };
  const { sha256 } = await storeFileTree(stores, base);
  const workspace = storedWorkspace({ trees: stores.trees, content: stores.contents, baseTree: sha256 });
  const handle = toolWorkspace({ resource: "app", access: "write", workspace, record: readRecord("app") });
  const budget = workBudget({
    maximum: 64 * 1024 * 1024,
    tooMuch: "too much",
    signal: new AbortController().signal,
  });
  const summary = await patchWorkspace(handle.workspace, parsePatch(patchReader(Buffer.from(patch))), budget);
  await workspace.settle();
  return {
    summary,
    gitTreeId: await (await workspace.snapshot()).gitTreeId(),
    read: async (path: string) => Buffer.from(await workspace.read(path)).toString(),
    lookup: (path: string) => workspace.lookup(path),
  };
};

/** Links that no tool may make point to a file instead. */
const withPlainLinks = (tree: FileTree): FileTree =>
  new Map(
    [...tree].map(([path, file]) => {
      const target = Buffer.from(file.bytes).toString();
      const fine = Buffer.from(target).equals(file.bytes) && linkTargetRefusal(path, target) === undefined;
      return [path, file.mode !== "120000" || fine ? file : { ...file, bytes: Buffer.from("nowhere") }];
    }),
  );

describe("patchWorkspace", () => {
  let judge: GitJudge;
  before(async () => {
    judge = await gitJudge();
  });
  after(() => judge.close());

  it("F15 F16 F17: makes of any base what our own diff of it says", async () => {
    await fc.assert(
      fc.asyncProperty(randomTreeChange, async (change) => {
        const [base, final] = [withPlainLinks(change.base), withPlainLinks(change.final)];
        const stores = { contents: memoryContentStore(), trees: memoryTreeStore() };
        const from = await storeFileTree(stores, base);
        const to = await storeFileTree(stores, final);
        const pieces: Uint8Array[] = [];
        const diff = {
          differences: await compareTrees(stores.trees, from.sha256, to.sha256),
          readContent: async (sha256: string) => (await stores.contents.get(sha256)) ?? new Uint8Array(),
        };
        for await (const piece of treeDiff(diff)) pieces.push(piece.bytes);
        if (pieces.length === 0) return;
        assert.equal((await applied(base, Buffer.concat(pieces))).gitTreeId, to.gitTreeId);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("F15 F16 F17: makes of any base what git's own diff of it says, renames, copies and deltas included", async () => {
    await fc.assert(
      fc.asyncProperty(randomTreeChange, async (change) => {
        const [base, final] = [withPlainLinks(change.base), withPlainLinks(change.final)];
        const from = await judge.treeId(base);
        const to = await judge.treeId(final);
        const patch = await judge.git([
          "diff-tree",
          "-r",
          "-p",
          "--binary",
          "--full-index",
          "-C",
          "--find-copies-harder",
          from,
          to,
        ]);
        if (patch.byteLength > 0) assert.equal((await applied(base, patch)).gitTreeId, to);
      }),
      { numRuns: propertyRuns(30) },
    );
  });

  const base: FileTree = new Map([
    ["a.txt", text("one\ntwo\nthree\nfour\nfive\nsix\nseven\n")],
    ["crlf.txt", text("one\r\ntwo\r\n")],
    ["d/x b/y", text("x\n", "100755")],
  ]);
  const failed = (patch: string, expected: { readonly code: string; readonly message?: RegExp }) =>
    assert.rejects(applied(base, patch), expected);

  it("finds a hunk at another line than it says, nearest first", async () => {
    const moved = "--- a/a.txt\n+++ b/a.txt\n@@ -40,3 +40,3 @@\n three\n-four\n+FOUR\n five\n";
    assert.equal(
      await (await applied(base, moved)).read("a.txt"),
      "one\ntwo\nthree\nFOUR\nfive\nsix\nseven\n",
    );
    const many = new Map([["m", text("x\na\nx\na\nx\na\nx\n")]]);
    const nearest = await applied(many, "--- a/m\n+++ b/m\n@@ -5,3 +5,3 @@\n x\n-a\n+b\n x\n");
    assert.equal(await nearest.read("m"), "x\na\nx\na\nx\nb\nx\n");
  });

  it("takes no context that differs, however little", () =>
    failed("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one \n-two\n+TWO\n", {
      code: "patch_failed",
      message: /hunk 1 does not fit "a.txt".*line 3 of the patch/,
    }));

  it("holds a hunk to the beginning or end of the file where its context ends there, as git does", async () => {
    const twice = new Map([["m", text("b\na\nx\na\nx\n")]]);
    await assert.rejects(applied(twice, "--- a/m\n+++ b/m\n@@ -1,2 +1,2 @@\n-a\n+A\n x\n"), {
      code: "patch_failed",
    });
    await assert.rejects(applied(twice, "--- a/m\n+++ b/m\n@@ -2,2 +2,2 @@\n b\n-a\n+A\n"), {
      code: "patch_failed",
    });
    const last = await applied(twice, "--- a/m\n+++ b/m\n@@ -2,2 +2,2 @@\n a\n-x\n+X\n");
    assert.equal(await last.read("m"), "b\na\nx\na\nX\n");
  });

  it("gives up on a patch whose hunks have to be searched for over and over in a huge file", async () => {
    const sought = Array.from({ length: 25 }, (_, index) => `h${index}\nc\n`).join("");
    const huge = new Map([["m", text(sought + "\n".repeat(1_000_000))]]);
    const hunks = (count: number) =>
      Array.from({ length: count }, (_, index) => {
        const line = 1000 + 100 * index * index;
        return `@@ -${line},2 +${line},2 @@\n-h${index}\n+H${index}\n c\n`;
      }).join("");
    assert.match(
      await (await applied(huge, `--- a/m\n+++ b/m\n${hunks(3)}`)).read("m"),
      /^H0\nc\nH1\nc\nH2\nc\nh3/,
    );
    await assert.rejects(applied(huge, `--- a/m\n+++ b/m\n${hunks(25)}`), { code: "patch_failed" });
  });

  it("F15: keeps CRLF, and takes no LF for it", async () => {
    const crlf = await applied(
      base,
      "--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n",
    );
    assert.equal(await crlf.read("crlf.txt"), "one\r\nTWO\r\n");
    await failed("--- a/crlf.txt\n+++ b/crlf.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n", {
      code: "patch_failed",
    });
  });

  it("F14: refuses a creation, a rename and a copy onto a path that stands", async () => {
    await failed("--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n", { code: "path_exists" });
    await failed("--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+x\n", { code: "path_exists" });
    for (const verb of ["rename", "copy"]) {
      await failed(
        `diff --git a/crlf.txt b/a.txt\nsimilarity index 100%\n${verb} from crlf.txt\n${verb} to a.txt\n`,
        { code: "path_exists" },
      );
    }
  });

  it("swaps two files, since renames read what stood before", async () => {
    const swapped = await applied(
      base,
      [
        ["a.txt", "crlf.txt"],
        ["crlf.txt", "a.txt"],
      ]
        .map(([from, to]) => `diff --git a/${from} b/${to}\nrename from ${from}\nrename to ${to}\n`)
        .join(""),
    );
    assert.equal(await swapped.read("a.txt"), "one\r\ntwo\r\n");
    assert.match(await swapped.read("crlf.txt"), /^one\ntwo\nthree/);
  });

  it("F16: a mode change of a path that holds ` b/` hits that path and keeps its content", async () => {
    const changed = await applied(base, "diff --git a/d/x b/y b/d/x b/y\nold mode 100755\nnew mode 100644\n");
    assert.deepEqual(changed.summary, ['Changed "d/x b/y".']);
    const node = await changed.lookup("d/x b/y");
    assert.equal(node?.kind === "file" ? node.mode : node, "100644");
  });

  it("F17: creates and deletes empty files", async () => {
    const both = await applied(
      new Map([["old", text("")]]),
      "diff --git a/new b/new\nnew file mode 100755\nindex 0000000..e69de29\ndiff --git a/old b/old\ndeleted file mode 100644\n",
    );
    assert.deepEqual(both.summary, ['Created "new".', 'Deleted "old".']);
    assert.equal(await both.lookup("old"), undefined);
    assert.equal(await both.read("new"), "");
  });

  it("takes the text of a mail around a diff", async () => {
    const mailed = await applied(
      base,
      "From 1\nSubject: x\n\n---\n a.txt | 2 +-\n\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n-- \n2.40.0\n",
    );
    assert.match(await mailed.read("a.txt"), /^ONE\n/);
  });

  const refusals: readonly (readonly [string, string, string, RegExp?])[] = [
    ["a text without any diff", "hello\n", "patch_failed", /holds no diff/],
    [
      "a hunk with too few lines",
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n",
      "patch_failed",
    ],
    [
      "a hunk with lines beyond its counts",
      "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n+more\n",
      "patch_failed",
      /more or fewer lines/,
    ],
    [
      "a path without a/",
      "--- a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+x\n",
      "patch_failed",
      /begin with a\//,
    ],
    ["two paths without a rename", "--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+x\n", "patch_failed"],
    ["a path out of the tree", "--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n", "path_refused"],
    ["a path in .git", "--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n", "path_refused"],
    ["a file that is not there", "--- a/none\n+++ b/none\n@@ -1 +1 @@\n-x\n+y\n", "path_not_found"],
    ["a deletion that leaves lines", "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "patch_failed"],
    [
      "a submodule",
      "diff --git a/s b/s\nnew file mode 160000\nindex 0000000..1234567\n",
      "patch_failed",
      /submodule/,
    ],
    [
      "a link out of the tree",
      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
      "path_refused",
    ],
    [
      "a link into .git by another spelling",
      "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+.Git./config\n\\ No newline at end of file\n",
      "path_refused",
    ],
    [
      "a binary file without data",
      "diff --git a/a.txt b/a.txt\nBinary files a/a.txt and b/a.txt differ\n",
      "patch_failed",
    ],
    [
      "a binary patch made for other content",
      `diff --git a/a.txt b/a.txt\nindex ${"1".repeat(40)}..${"2".repeat(40)} 100644\nGIT binary patch\nliteral 0\nHcmV?d00001\n\n`,
      "patch_failed",
      /other content/,
    ],
  ];
  for (const [what, patch, code, message] of refusals) {
    it(`refuses ${what}`, () => failed(patch, message === undefined ? { code } : { code, message }));
  }

  it("is done in time with a hunk and a file that keep a naive search busy", async () => {
    const lines = new Map([["z", text("\n".repeat(1_000_000))]]);
    const hunk = `${" \n".repeat(60_000)}-x\n+y\n \n`;
    await assert.rejects(applied(lines, `--- a/z\n+++ b/z\n@@ -9,60002 +9,60002 @@\n${hunk}`), {
      code: "patch_failed",
    });
  });
});
