import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { CallRecord } from "../run/decision-record.ts";
import type { FileTree, TestFile } from "../tree/file-tree.testkit.ts";
import { applyToTree } from "./apply-to-tree.ts";
import { deriveRollback } from "./derive-rollback.ts";
import { derivedDigest } from "./derived-digest.ts";
import { entriesBetween, storedTrees } from "./tree-entries.testkit.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;
const treeOf = (files: Files): FileTree =>
  new Map(
    Object.entries(files).map(([path, content]): [string, TestFile] => [
      path,
      { mode: "100644", bytes: typeof content === "string" ? Buffer.from(content, "latin1") : content },
    ]),
  );

interface Rollback {
  readonly before: Files;
  readonly after: Files;
  readonly now?: Files;
  readonly entries?: readonly ChangeEntry[];
  readonly decisions?: Parameters<typeof deriveRollback>[0]["decisions"];
}

async function rollBack({ before, after, now = after, entries, decisions = [] }: Rollback) {
  const stored = await storedTrees({ before: treeOf(before), after: treeOf(after), now: treeOf(now) });
  const tree = stored.root("now").sha256;
  const derivation = await deriveRollback({
    planId: "p",
    undoes: "ab".repeat(32),
    entries: entries ?? entriesBetween(treeOf(before), treeOf(after)),
    revision: { before: stored.root("before").sha256, after: stored.root("after").sha256 },
    target: { resource: "app", tree },
    trees: stored.trees,
    decisions,
    isExternal: (tool) => tool.startsWith("http_"),
  });
  return { derivation, trees: stored.trees, tree };
}

async function assertRestores(rollback: Rollback, expected: Files) {
  const { derivation, trees, tree } = await rollBack(rollback);
  assert.ok(derivation.status === "derived");
  const { changeset } = derivation;
  const restored = await applyToTree({ trees, root: tree, changes: changeset.entries });
  assert.deepEqual(restored, (await storedTrees({ expected: treeOf(expected) })).root("expected"));
  return { changeset, tree };
}

test("a rollback names the digest that it undoes and the decisions whose entries it takes back", async () => {
  const { changeset, tree } = await assertRestores(
    { before: { a: "1", b: "1" }, after: { a: "2", c: "1" }, now: { a: "2", c: "1", later: "x" } },
    { a: "1", b: "1", later: "x" },
  );
  assert.deepEqual(
    [changeset.kind, changeset.of, changeset.undoes],
    ["rollback", "ab".repeat(32), "ab".repeat(32)],
  );
  assert.deepEqual(changeset.baseTrees, { app: tree });
  assert.equal(changeset.digest, derivedDigest(changeset));
  assert.deepEqual(
    changeset.entries.map(({ decisionId, path, kind }) => [decisionId, path, kind]),
    [
      ["d1", "a", "modify"],
      ["d1", "b", "create"],
      ["d1", "c", "delete"],
    ],
  );
});

test("F15: a rollback brings back line ends, a byte order mark and a missing newline, byte by byte", async () => {
  const before = { f: "\xef\xbb\xbfa\r\nb\nc\r", g: "no newline", h: "\r\n" };
  await assertRestores({ before, after: { f: "a\nb\nc\n", g: "no newline\n", h: "\n" } }, before);
});

test("F16: a rollback of a rename with an edit gives the old name its old content back", async () => {
  const before = { "x b/a b/é": "1\n2\n3\n" };
  await assertRestores({ before, after: { "y b/日本 b/x": "1\ntwo\n3\n" } }, before);
});

test("F17: a rollback brings back a binary file and an empty one, and takes away an empty one", async () => {
  const before = { "b.png": Uint8Array.of(0, 1, 0xff), removed: "" };
  await assertRestores({ before, after: { "b.png": Uint8Array.of(0, 2, 0xff), added: "" } }, before);
});

test("later work on what was applied refuses the rollback, path by path, and what is back already does not", async () => {
  const { derivation } = await rollBack({
    before: { a: "1", b: "1", "d/x": "1", back: "1" },
    after: { a: "2", c: "1", d: "2", back: "2", n: "1" },
    now: { a: "3", b: "later", d: "2", back: "1", "n/under": "later" },
  });
  assert.ok(derivation.status === "conflicts");
  assert.deepEqual(
    derivation.conflicts.map(({ path, reason }) => [path, reason]),
    [
      ["a", "moved"],
      ["b", "moved"],
      ["n", "blocked"],
    ],
  );
});

test("a restored file never pushes later work out of its directory", async () => {
  const { derivation } = await rollBack({
    before: { d: "1" },
    after: { "d/x": "1" },
    now: { "d/x": "1", "d/later": "1" },
  });
  assert.ok(derivation.status === "conflicts");
  assert.deepEqual(derivation.conflicts[0], {
    path: "d",
    expected: null,
    found: { kind: "directory" },
    reason: "blocked",
  });
});

test("a rollback lists the external effects that stay: calls that succeeded, and those nobody knows of", async () => {
  const call = (
    callOrdinal: number,
    tool: string,
    code?: "external_outcome_unknown" | "external_failed",
  ): CallRecord => ({
    callOrdinal,
    tool,
    inputSha256: "0".repeat(64),
    status: code === undefined ? "succeeded" : "failed",
    ...(code === undefined ? {} : { failure: { code, message: code } }),
    output: { bytes: new Uint8Array(), sizeBytes: 0, truncated: false, sha256: "" },
    durationMs: 1,
  });
  const decisions = [
    {
      decisionId: "d1",
      calls: [call(0, "write_file"), call(1, "http_post"), call(2, "http_put", "external_failed")],
    },
    { decisionId: "d2", calls: [call(0, "http_post", "external_outcome_unknown")] },
  ];
  const { derivation } = await rollBack({ before: {}, after: { a: "1" }, decisions });
  assert.ok(derivation.status === "derived");
  assert.deepEqual(derivation.changeset.externalEffects, [
    { decisionId: "d1", callOrdinal: 1, tool: "http_post", outcome: "succeeded" },
    { decisionId: "d2", callOrdinal: 0, tool: "http_post", outcome: "unknown" },
  ]);
});

test("entries that do not tell what the revision changed undo nothing", async () => {
  const before = { a: "1" };
  const after = { a: "2", b: "1" };
  for (const told of [{ a: "2" }, { a: "2", b: "2" }, { a: "2", b: "1", c: "1" }]) {
    const entries = entriesBetween(treeOf(before), treeOf(told));
    await assert.rejects(rollBack({ before, after, entries }), { code: "internal" });
  }
});
