import assert from "node:assert/strict";
import { test } from "node:test";
import { maxFileSizeBytes } from "../tree/file-limit.ts";
import type { FileTree, TestFile } from "../tree/file-tree.testkit.ts";
import { applyToTree } from "./apply-to-tree.ts";
import { deriveMerge } from "./derive-merge.ts";
import { derivedDigest } from "./derived-digest.ts";
import { entriesBetween, storedTrees } from "./tree-entries.testkit.ts";

type Content = string | Uint8Array | TestFile;
const fileOf = (content: Content): TestFile => {
  if (typeof content === "string") return { mode: "100644", bytes: Buffer.from(content, "latin1") };
  return content instanceof Uint8Array ? { mode: "100644", bytes: content } : content;
};
const treeOf = (files: Readonly<Record<string, Content>>): FileTree =>
  new Map(Object.entries(files).map(([path, content]) => [path, fileOf(content)]));
const executable = (text: string): TestFile => ({ mode: "100755", bytes: Buffer.from(text) });
const link = (target: string): TestFile => ({ mode: "120000", bytes: Buffer.from(target) });

interface Sides {
  readonly base: Readonly<Record<string, Content>>;
  readonly planned: Readonly<Record<string, Content>>;
  readonly moved: Readonly<Record<string, Content>>;
}

async function merge(sides: Sides, entries = entriesBetween(treeOf(sides.base), treeOf(sides.planned))) {
  const stored = await storedTrees({
    base: treeOf(sides.base),
    planned: treeOf(sides.planned),
    moved: treeOf(sides.moved),
  });
  const tree = stored.root("moved").sha256;
  const of = "0".repeat(64);
  const target = { resource: "app", tree };
  const { trees, content } = stored;
  const derivation = await deriveMerge({ planId: "p", of, entries, target, trees, content });
  return { derivation, trees, tree };
}

/** Path and reason of every conflict. */
async function conflictsOf(sides: Sides): Promise<readonly (readonly [string, string])[]> {
  const { derivation } = await merge(sides);
  assert.ok(derivation.status === "conflicts");
  return derivation.conflicts.map(({ path, reason }) => [path, reason]);
}

/** The merged tree's ids, beside those of the tree that is expected. */
async function assertMerges(sides: Sides, expected: Readonly<Record<string, Content>>) {
  const { derivation, trees, tree } = await merge(sides);
  assert.ok(derivation.status === "derived");
  const { entries } = derivation.changeset;
  const applied = await applyToTree({ trees, root: tree, changes: entries });
  assert.deepEqual(applied, (await storedTrees({ expected: treeOf(expected) })).root("expected"));
  return derivation;
}

test("a changeset goes onto what changed elsewhere as it is, and what is so already stays out", async () => {
  const { changeset } = await assertMerges(
    {
      base: { a: "1\n", b: "1\n", c: "1\n", gone: "x" },
      planned: { a: "2\n", b: "2\n", c: "1\n", new: "n" },
      moved: { a: "1\n", b: "2\n", c: "3\n", other: "o" },
    },
    { a: "2\n", b: "2\n", c: "3\n", new: "n", other: "o" },
  );
  assert.deepEqual(
    changeset.entries.map(({ path, kind }) => [path, kind]),
    [
      ["a", "modify"],
      ["new", "create"],
    ],
  );
});

test("a merge names its source and its target, and has a digest of its own", async () => {
  const { derivation, tree } = await merge({ base: {}, planned: { a: "1" }, moved: { b: "2" } });
  assert.ok(derivation.status === "derived");
  const { changeset } = derivation;
  assert.deepEqual(
    [changeset.kind, changeset.planId, changeset.of, changeset.baseTrees],
    ["merge", "p", "0".repeat(64), { app: tree }],
  );
  assert.equal(changeset.digest, derivedDigest(changeset));
});

test("F12: a changeset with an empty base that was applied already has nothing left to do, and cannot be applied twice", async () => {
  const sides = { base: {}, planned: { "a/new": "1\n" }, moved: { "a/new": "1\n" } };
  const { derivation, trees, tree } = await merge(sides);
  assert.ok(derivation.status === "derived");
  assert.deepEqual(derivation.changeset.entries, []);
  const changes = entriesBetween(treeOf(sides.base), treeOf(sides.planned));
  await assert.rejects(applyToTree({ trees, root: tree, changes }), (error: unknown) => {
    assert.ok(error instanceof Error && "code" in error && "details" in error);
    assert.equal(error.code, "target_moved");
    const conflict = { path: "a/new", expected: null, found: changes[0]?.after, reason: "moved" };
    assert.deepEqual(error.details, { conflicts: [conflict], conflictCount: 1 });
    return true;
  });
});

test("F15: a merge keeps line ends, a byte order mark, ill-formed bytes and a missing newline at the end", async () => {
  const lines = [
    "\xef\xbb\xbfone\r\n",
    "two\n",
    "three\r\n",
    "four\xff\n",
    "five\r\n",
    "six\n",
    "no newline",
  ];
  const text = (...changes: readonly (readonly [number, string])[]): string =>
    lines.map((line, index) => changes.find(([at]) => at === index)?.[1] ?? line).join("");
  await assertMerges(
    {
      base: { f: text() },
      planned: { f: text([0, "\xef\xbb\xbfONE\r\n"]) },
      moved: { f: text([6, "still no newline"]), g: "\r" },
    },
    { f: text([0, "\xef\xbb\xbfONE\r\n"], [6, "still no newline"]), g: "\r" },
  );
  assert.deepEqual(
    await conflictsOf({
      base: { f: "a\nb\n" },
      planned: { f: "a\r\nb\r\n" },
      moved: { f: "a\nB\n" },
    }),
    [["f", "overlap"]],
  );
});

test("F16: a rename with an edit, of paths with ' b/' and beyond ASCII, goes from the right path to the right path", async () => {
  const source = "x b/a b/é file";
  const destination = "x b/日本 b/\u{1d4b3}";
  const text = Array.from({ length: 9 }, (_, index) => `line ${index}\n`).join("");
  const base = { [source]: text, "x b/a b/other": "o\n" };
  const planned = { [destination]: text.replace("line 4", "edited"), "x b/a b/other": "o\n" };
  await assertMerges(
    { base, planned, moved: { ...base, "x b/a b/other": "later\n" } },
    { ...planned, "x b/a b/other": "later\n" },
  );
  // Without renames a later edit of the source is in the way of its removal, and is never dropped.
  assert.deepEqual(await conflictsOf({ base, planned, moved: { ...base, [source]: `${text}later\n` } }), [
    [source, "delete_modify"],
  ]);
});

test("F17: a binary file and an empty file that only the plan touched go through, two binary changes are a conflict", async () => {
  const binary = (end: number): Uint8Array => Uint8Array.of(0x89, 0, 1, 2, 0xff, end);
  await assertMerges(
    {
      base: { "b.png": binary(1), removed: "" },
      planned: { "b.png": binary(2), added: "" },
      moved: { "b.png": binary(1), removed: "", text: "t\n" },
    },
    { "b.png": binary(2), added: "", text: "t\n" },
  );
  assert.deepEqual(
    await conflictsOf({
      base: { "b.png": binary(1) },
      planned: { "b.png": binary(2) },
      moved: { "b.png": binary(3) },
    }),
    [["b.png", "binary"]],
  );
});

test("content and mode merge apart: one side's bit and the other's lines", async () => {
  await assertMerges(
    { base: { f: "1\n" }, planned: { f: executable("1\n") }, moved: { f: "2\n" } },
    { f: executable("2\n") },
  );
  await assertMerges(
    { base: { f: "1\n" }, planned: { f: "2\n" }, moved: { f: executable("1\n") } },
    { f: executable("2\n") },
  );
  await assertMerges(
    { base: { f: executable("1\n") }, planned: { f: "1\n" }, moved: { f: "1\n" } },
    { f: "1\n" },
  );
});

test("every way in which two changes cannot be one is told by its name, all of them at once and in path order", async () => {
  const long = (letter: string): string => `${letter.repeat(maxFileSizeBytes * 0.4)}\n`;
  const huge = `${long("x")}1\n2\n3\n4\n5\n`;
  const sides: Sides = {
    base: { a: "1\n", b: "1\n", c: "1\n", f: link("1"), g: "1\n", i: "1\n", j: huge },
    planned: {
      a: "2\n",
      c: "2\n",
      d: "2\n",
      e: executable("1\n"),
      f: link("2"),
      g: link("2"),
      "h/x": "2\n",
      i: "2\n",
      j: long("y") + huge,
    },
    moved: {
      a: "3\n",
      b: "3\n",
      d: "3\n",
      e: "1\n",
      f: link("3"),
      g: "3\n",
      h: "3\n",
      "i/x": "1\n",
      j: huge + long("z"),
    },
  };
  assert.deepEqual(await conflictsOf(sides), [
    ["a", "overlap"],
    ["b", "delete_modify"],
    ["c", "delete_modify"],
    ["d", "create_create"],
    ["e", "mode"],
    ["f", "symlink"],
    ["g", "type"],
    ["h/x", "blocked"],
    ["i", "blocked"],
    ["j", "too_large"],
  ]);
});

test("a conflict says what was expected and what was found", async () => {
  const { derivation } = await merge({
    base: { a: "1\n" },
    planned: { a: "2\n", "b/c": "n" },
    moved: { a: "3\n", b: link("a") },
  });
  assert.ok(derivation.status === "conflicts");
  const states = (files: Readonly<Record<string, Content>>) =>
    entriesBetween(new Map(), treeOf(files)).map((entry) => entry.after);
  assert.deepEqual(derivation.conflicts, [
    { path: "a", expected: states({ a: "1\n" })[0], found: states({ a: "3\n" })[0], reason: "overlap" },
    { path: "b/c", expected: null, found: { kind: "below_symlink" }, reason: "blocked" },
  ]);
});

test("files and directories take each other's places when the changeset clears them, not when others came in", async () => {
  await assertMerges(
    { base: { a: "1", "d/x": "1" }, planned: { "a/b": "2", d: "2" }, moved: { a: "1", "d/x": "1", e: "3" } },
    { "a/b": "2", d: "2", e: "3" },
  );
  await assertMerges(
    { base: { a: "1" }, planned: { "a/b": "2" }, moved: { "a/c": "3" } },
    { "a/b": "2", "a/c": "3" },
  );
  assert.deepEqual(
    await conflictsOf({
      base: { "d/x": "1" },
      planned: { d: "2" },
      moved: { "d/x": "1", "d/y": "3" },
    }),
    [["d", "blocked"]],
  );
});

test("of several writers of a merged path the entry names the last", async () => {
  const [one] = entriesBetween(treeOf({ f: "1\n2\n3\n4\n5\n" }), treeOf({ f: "one\n2\n3\n4\n5\n" }));
  const [two] = entriesBetween(treeOf({ f: "one\n2\n3\n4\n5\n" }), treeOf({ f: "ONE\n2\n3\n4\n5\n" }));
  assert.ok(one && two);
  const entries = [
    { ...one, decisionId: "first" },
    { ...two, decisionId: "last", callOrdinal: 3 },
  ];
  const sides = {
    base: {},
    planned: { f: "1\n2\n3\n4\n5\n", g: "ONE\n2\n3\n4\n5\n" },
    moved: { f: "1\n2\n3\n4\nfive\n" },
  };
  const { derivation } = await merge(sides, entries);
  assert.ok(derivation.status === "derived");
  const [entry] = derivation.changeset.entries;
  assert.deepEqual([entry?.decisionId, entry?.callOrdinal, entry?.kind], ["last", 3, "modify"]);
  const merged = derivation.newContents.get(entry?.after?.sha256 ?? "");
  assert.equal(Buffer.from(merged ?? []).toString(), "ONE\n2\n3\n4\nfive\n");
});

test("entries of another resource than the target's are refused, and entries that do not chain are a fault of ours", async () => {
  const sides = { base: {}, planned: { a: "1" }, moved: {} };
  const entries = entriesBetween(treeOf(sides.base), treeOf(sides.planned));
  await assert.rejects(
    merge(
      sides,
      entries.map((entry) => ({ ...entry, resource: "docs" })),
    ),
    { code: "unknown_resource", field: "target.resource" },
  );
  await assert.rejects(merge(sides, [...entries, ...entries]), { code: "internal" });
});

test("content that is not there is a fault of the store, not a conflict", async () => {
  const sides = { base: {}, planned: {}, moved: { f: "3\n" } };
  const entries = entriesBetween(treeOf({ f: "1\n" }), treeOf({ f: "2\n" }));
  await assert.rejects(merge(sides, entries), { code: "content_missing", retryable: true });
});
