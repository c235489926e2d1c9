import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex } from "../canonical/sha256.ts";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import { contentState } from "../content/content-state.ts";
import type { FileMode, FileState } from "../tree/file-state.ts";
import type { DerivedChangeset } from "./derived-changeset.ts";
import { derivedDigest } from "./derived-digest.ts";

const state = (text: string, mode: FileMode = "100644"): FileState => contentState(Buffer.from(text), mode);
const entry = (decisionId: string, rest: Omit<ChangeEntry, "decisionId" | "resource">): ChangeEntry => ({
  decisionId,
  resource: "app",
  ...rest,
});
const base = "11".repeat(32);
const of = "22".repeat(32);

type Covered = Parameters<typeof derivedDigest>[0];
const covered = (kind: DerivedChangeset["kind"], entries: readonly ChangeEntry[]): Covered => ({
  kind,
  planId: "p1",
  of,
  baseTrees: { app: base },
  entries,
});

const merge = covered("merge", [
  entry("d1", {
    callOrdinal: 0,
    path: "src/é b/x",
    kind: "modify",
    before: state("1\n"),
    after: state("2\n", "100755"),
  }),
]);
const partial = covered("partial", [
  entry("d1", { callOrdinal: 0, path: "a", kind: "create", before: null, after: state("1\n") }),
  entry("d2", { callOrdinal: 1, path: "a", kind: "delete", before: state("1\n"), after: null }),
]);
const rollback = covered("rollback", []);

/** Made by another program: the canonical form, and its SHA-256. */
const vectors: readonly (readonly [Covered, string, string])[] = [
  [
    merge,
    '["planledger-derived/1","merge","p1","2222222222222222222222222222222222222222222222222222222222222222",{"app":"1111111111111111111111111111111111111111111111111111111111111111"},[{"after":{"mode":"100755","sha256":"53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3","sizeBytes":2},"before":{"mode":"100644","sha256":"4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865","sizeBytes":2},"callOrdinal":0,"decisionId":"d1","kind":"modify","path":"src/é b/x","resource":"app"}]]',
    "e6661201427060da82b52ad31cd59693fce5471b1d1ec01754af70f089e67437",
  ],
  [
    partial,
    '["planledger-derived/1","partial","p1","2222222222222222222222222222222222222222222222222222222222222222",{"app":"1111111111111111111111111111111111111111111111111111111111111111"},[{"after":{"mode":"100644","sha256":"4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865","sizeBytes":2},"before":"absent","callOrdinal":0,"decisionId":"d1","kind":"create","path":"a","resource":"app"},{"after":"absent","before":{"mode":"100644","sha256":"4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865","sizeBytes":2},"callOrdinal":1,"decisionId":"d2","kind":"delete","path":"a","resource":"app"}]]',
    "e1810b15b657251fe09dd911efb1e071517a9bb2d5f2bd510cd7f93af264df54",
  ],
  [
    rollback,
    '["planledger-derived/1","rollback","p1","2222222222222222222222222222222222222222222222222222222222222222",{"app":"1111111111111111111111111111111111111111111111111111111111111111"},[]]',
    "1d2544c5486917172955fe16888ee38d7ed03b5330969e149b27ebd56d05c772",
  ],
];

test("the digest of a derived changeset is the SHA-256 of the canonical form written down here, for each kind", () => {
  for (const [changeset, canonical, digest] of vectors) {
    assert.equal(sha256Hex(canonical), digest);
    assert.equal(derivedDigest(changeset), digest);
  }
});

test("every field that says what a derived changeset does changes its digest, git ids do not", () => {
  const [first] = merge.entries;
  assert.ok(first?.before && first.after);
  const withEntry = (change: Partial<ChangeEntry>): Covered => ({
    ...merge,
    entries: [{ ...first, ...change }],
  });
  const others: readonly Covered[] = [
    merge,
    { ...merge, kind: "rollback" },
    { ...merge, planId: "p2" },
    { ...merge, of: base },
    { ...merge, baseTrees: { app: of } },
    { ...merge, baseTrees: { docs: base } },
    { ...merge, entries: [] },
    withEntry({ decisionId: "d2" }),
    withEntry({ callOrdinal: 1 }),
    withEntry({ resource: "docs" }),
    withEntry({ path: "x" }),
    withEntry({ kind: "mode" }),
    withEntry({ before: null }),
    withEntry({ after: state("3\n", "100755") }),
    withEntry({ after: state("2\n") }),
    withEntry({ after: { ...first.after, sizeBytes: 3 } }),
    { ...partial, entries: partial.entries.toReversed() },
    partial,
  ];
  assert.equal(new Set(others.map(derivedDigest)).size, others.length);
  assert.equal(
    derivedDigest(withEntry({ after: { ...first.after, gitBlobId: "0".repeat(40) } })),
    derivedDigest(merge),
  );
});
