import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { type GitJudge, gitJudge } from "../tree/git-judge.testkit.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { textHunks } from "./text-hunks.ts";

let judge: GitJudge;
before(async () => {
  judge = await gitJudge();
});
after(() => judge.close());

const shapes = [
  { alphabet: 2, lines: 8 },
  { alphabet: 3, lines: 40 },
  { alphabet: 12, lines: 8 },
  { alphabet: 40, lines: 40 },
  { alphabet: 5, lines: 200 },
];

for (const { alphabet, lines } of shapes) {
  test(`F22: of ${lines} lines and fewer, ${alphabet} of them frequent, the diff is git's, byte for byte`, async () => {
    const frequent = fc.nat({ max: alphabet }).map((line) => `frequent ${line}\n`);
    const rare = fc.nat({ max: 1_000_000 }).map((line) => `rare ${line}\n`);
    const side = fc
      .array(fc.oneof(frequent, frequent, rare), { maxLength: lines, size: "max" })
      .map((list) => Buffer.from(list.join("")));
    // Many pairs of files for one process of git: a rare case is met here or nowhere.
    const pairs = fc.sample(fc.tuple(side, side), propertyRuns(400));
    const tree = (at: 0 | 1) =>
      judge.treeId(
        new Map(pairs.map((pair, index) => [`${index}`, { mode: "100644" as const, bytes: pair[at] }])),
      );
    const ids = [await tree(0), await tree(1)];
    const printed = await judge.git([
      "diff-tree",
      "-r",
      "-p",
      "--no-renames",
      "--no-indent-heuristic",
      ...ids,
    ]);
    // Git's heading of a hunk is for readers only; ours has none.
    const expected = new Map(
      printed
        .toString()
        .split(/^diff --git /m)
        .slice(1)
        .map((part) => {
          const from = part.search(/^@@ /m);
          const hunks = part.slice(from).replaceAll(/^(@@ -[\d,]+ \+[\d,]+ @@).*$/gm, "$1");
          return [part.slice("a/".length, part.indexOf(" ")), hunks];
        }),
    );
    for (const [index, [old, now]] of pairs.entries()) {
      const ours = Buffer.from(textHunks(old, now)).toString();
      const shown = { old: old.toString(), now: now.toString() };
      assert.equal(ours, expected.get(`${index}`) ?? "", JSON.stringify(shown));
    }
  });
}
