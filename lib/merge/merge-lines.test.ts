import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { mergeLines } from "./merge-lines.ts";

const runs = Number(process.env.PROPERTY_RUNS ?? 400);
let dir = "";
before(() => {
  dir = mkdtempSync(join(tmpdir(), "planledger-merge-"));
});
after(() => rmSync(dir, { recursive: true, force: true }));

function gitMergeFile(sides: { base: Uint8Array; ours: Uint8Array; theirs: Uint8Array }): Buffer | undefined {
  const path = (name: string): string => join(dir, name);
  writeFileSync(path("base"), sides.base);
  writeFileSync(path("ours"), sides.ours);
  writeFileSync(path("theirs"), sides.theirs);
  const done = spawnSync("git", ["merge-file", "-p", path("ours"), path("base"), path("theirs")]);
  assert.ok(done.status !== null && done.status < 255, done.stderr.toString());
  return done.status === 0 ? done.stdout : undefined;
}

/** Texts as people edit them, plus ones made of few distinct lines, where alignments are ambiguous. */
const line = fc.oneof(
  { weight: 3, arbitrary: fc.nat(400).map((n) => `  const value${n} = read(${n});\n`) },
  { weight: 1, arbitrary: fc.constantFrom("}\n", "\n", "  return;\n", "\r\n", "  }\n") },
);
const repeated = fc.constantFrom("a\n", "b\n", "\n", "}\n");
const edit = fc.record({
  at: fc.nat(1_000),
  remove: fc.nat(2),
  insert: fc.array(fc.oneof(line, fc.constantFrom("added\n", "}\n")), { maxLength: 3 }),
});
const scenario = (lines: fc.Arbitrary<string>, maxLines: number) =>
  fc.record({
    base: fc.array(lines, { maxLength: maxLines, size: "max" }),
    ours: fc.array(edit, { minLength: 1, maxLength: 2 + maxLines / 40 }),
    theirs: fc.array(edit, { minLength: 1, maxLength: 2 + maxLines / 40 }),
    cut: fc.boolean(),
  });

function apply(
  base: readonly string[],
  edits: readonly { at: number; remove: number; insert: string[] }[],
): string[] {
  const lines = [...base];
  for (const { at, remove, insert } of edits) lines.splice(at % (lines.length + 1), remove, ...insert);
  return lines;
}

for (const [name, lines, maxLines] of [
  ["source text", line, 40],
  ["repeated lines", repeated, 40],
  ["a long file of either kind", fc.oneof(line, repeated), 600],
] as const) {
  test(`whenever ${name} merges here, git merge-file is clean with the same bytes`, () => {
    let git = 0;
    let both = 0;
    fc.assert(
      fc.property(scenario(lines, maxLines), ({ base, ours, theirs, cut }) => {
        const bytes = (text: string[]): Buffer =>
          Buffer.from(cut ? text.join("").replace(/\n$/, "") : text.join(""), "latin1");
        const sides = {
          base: bytes(base),
          ours: bytes(apply(base, ours)),
          theirs: bytes(apply(base, theirs)),
        };
        const merged = mergeLines(sides);
        const expected = gitMergeFile(sides);
        if (expected !== undefined) git++;
        if (!merged.clean) return;
        assert.ok(expected !== undefined, "git sees a conflict");
        assert.equal(Buffer.from(merged.bytes).toString("latin1"), expected.toString("latin1"));
        both++;
      }),
      { numRuns: runs },
    );
    process.stdout.write(`# ${name}: ${both} of ${git} clean merges of git's\n`);
    assert.ok(both >= git * 0.95, `${both} of ${git}`);
  });
}
