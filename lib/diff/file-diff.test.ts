import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { type FileTree, type TestFile, withFile, withoutFile } from "../tree/file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "../tree/git-judge.testkit.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { randomBytes, randomFile, randomPath } from "../tree/random-tree.testkit.ts";
import { fileDiff } from "./file-diff.ts";
import { quotePath } from "./quote-path.ts";

const text = (content: string, mode: TestFile["mode"] = "100644"): TestFile => ({
  mode,
  bytes: Buffer.from(content, "latin1"),
});
const shown = (diff: Uint8Array): string => Buffer.from(diff).toString("latin1");

describe("fileDiff", () => {
  let judge: GitJudge;
  before(async () => {
    judge = await gitJudge();
  });
  after(() => judge.close());

  const assertTurns = async (base: FileTree, final: FileTree, diff: Uint8Array): Promise<void> => {
    const [baseId, finalId] = [await judge.treeId(base), await judge.treeId(final)];
    assert.deepEqual(await judge.judge(base, diff), {
      base: baseId,
      applied: finalId,
      appliedWorkTree: finalId,
      appliedPlain: finalId,
      reversed: baseId,
      reversedPlain: baseId,
    });
  };

  it("shows lines, as git shows them (F22)", () => {
    const old = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);
    const now = old.with(4, "five\r\n").with(19, "last");
    const diff = fileDiff({ path: "a b", before: text(old.join("")), after: text(now.join("")) });
    assert.equal(
      shown(diff),
      [
        "diff --git a/a b b/a b",
        "index c4352f8b46de5cdb88d0cc96958316db42dd2398..40c6ce878d490462949bc2697fb63fbd21da4e8e 100644",
        "--- a/a b\t",
        "+++ b/a b\t",
        "@@ -2,7 +2,7 @@",
        " line 2",
        " line 3",
        " line 4",
        "-line 5",
        "+five\r",
        " line 6",
        " line 7",
        " line 8",
        "@@ -17,4 +17,4 @@",
        " line 17",
        " line 18",
        " line 19",
        "-line 20",
        "+last",
        "\\ No newline at end of file",
        "",
      ].join("\n"),
    );
  });

  it("is byte for byte what git prints for the same two files", async () => {
    const side = fc.option(randomFile, { nil: null });
    await fc.assert(
      fc.asyncProperty(side, side, async (old, now) => {
        // Git's heading of a hunk is for readers only; ours has none.
        const heading = /^(@@ -[\d,]+ \+[\d,]+ @@).*$/gm;
        const ids = [];
        for (const file of [old, now]) {
          const tree: FileTree = file === null ? new Map() : new Map([['x b/é "y', file]]);
          ids.push(await judge.treeId(tree));
        }
        const args = [
          "diff-tree",
          "-p",
          "--full-index",
          "--binary",
          "--no-renames",
          "--no-indent-heuristic",
          ...ids,
        ];
        const expected = shown(await judge.git(args)).replaceAll(heading, "$1");
        const ours = shown(fileDiff({ path: 'x b/é "y', before: old, after: now })).replaceAll(heading, "$1");
        if (!expected.includes("GIT binary patch")) assert.equal(ours, expected);
        // Git may choose a delta where we write the whole.
        else assert.equal(ours.split("GIT binary patch")[0], expected.split("GIT binary patch")[0]);
      }),
      {
        numRuns: propertyRuns(40),
        // A line that is frequent, and among unknown ones, but too few of them to be set apart.
        examples: [[text("\\ No newline\n\n\r"), text("\n\n")]],
      },
    );
  });

  it("is empty when nothing changed", () => {
    const file = text("same\n");
    assert.equal(fileDiff({ path: "a", before: file, after: file }).byteLength, 0);
    assert.equal(fileDiff({ path: "a", before: null, after: null }).byteLength, 0);
  });

  it("F16: a rename, with or without an edit and a change of mode, names the right source and target", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          oldPath: randomPath,
          path: randomPath,
          old: randomFile,
          bytes: fc.option(randomBytes),
          other: randomFile,
        }),
        async ({ oldPath, path, old, bytes, other }) => {
          fc.pre(oldPath !== path);
          const now: TestFile =
            bytes === null
              ? old
              : old.mode === "120000"
                ? { ...old, bytes: Buffer.from("elsewhere") }
                : { mode: "100755", bytes };
          const base = withFile(new Map([["beside", other]]), oldPath, old);
          const final = withFile(withoutFile(base, oldPath), path, now);
          fc.pre(final.has("beside") && base.has("beside"));
          await assertTurns(base, final, fileDiff({ path, oldPath, before: old, after: now }));
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  });

  it("writes a pure move as git does", () => {
    const file = text("moved\n");
    assert.equal(
      shown(fileDiff({ path: 'x b/"n"', oldPath: "o", before: file, after: { ...file, mode: "100755" } })),
      [
        'diff --git a/o "b/x b/\\"n\\""',
        "old mode 100644",
        "new mode 100755",
        "similarity index 100%",
        "rename from o",
        'rename to "x b/\\"n\\""',
        "",
      ].join("\n"),
    );
  });

  it("takes contents that are far apart and large, in bounded time, and stays right", async () => {
    const lines = (seed: number, count: number): string =>
      Array.from({ length: count }, (_, index) => `${(index * seed) % 9973}\n`).join("");
    const cases: readonly (readonly [string, string])[] = [
      [lines(31, 30_000), lines(77, 30_000)],
      [lines(31, 250_000), `${lines(31, 1000)}x\n${lines(77, 249_000)}`],
      ["\n".repeat(600_000), "\n".repeat(500_000)],
      ["\n".repeat(300_000), "x\n".repeat(300_000)],
      [`a${"b".repeat(2_000_000)}`, `a${"c".repeat(2_000_000)}\n`],
    ];
    for (const [old, now] of cases) {
      const diff = fileDiff({ path: "large", before: text(old), after: text(now) });
      await assertTurns(new Map([["large", text(old)]]), new Map([["large", text(now)]]), diff);
    }
  });

  it("finds a small change in a very large file", () => {
    const old = Array.from({ length: 400_000 }, (_, index) => `line ${index}\n`);
    const diff = fileDiff({
      path: "large",
      before: text(old.join("")),
      after: text(old.with(200_000, "changed\n").join("")),
    });
    assert.ok(diff.byteLength < 500, `${diff.byteLength} bytes`);
  });
});

describe("quotePath", () => {
  it("quotes names as git does", async () => {
    const judge = await gitJudge();
    try {
      const names = fc
        .sample(randomPath, 500)
        .map((path, index) => `${String(index).padStart(4, "0")}-${path}`);
      const index = names
        .map((name) => `100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t${name}\0`)
        .join("");
      await judge.git(["update-index", "-z", "--index-info"], Buffer.from(index));
      const quoted = (await judge.git(["ls-files"])).toString().trimEnd().split("\n");
      // What git leaves bare though it cannot read it back, we quote.
      const expected = quoted.map((name) => (/^[^"].* \//.test(name) ? `"${name}"` : name));
      assert.deepEqual(names.map(quotePath), expected);
    } finally {
      await judge.close();
    }
  });
});
