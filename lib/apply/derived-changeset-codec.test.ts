import assert from "node:assert/strict";
import { test } from "node:test";
import { zstdCompressSync } from "node:zlib";
import { contentState } from "../content/content-state.ts";
import type { DerivedChangeset, RollbackChangeset } from "./derived-changeset.ts";
import { decodeDerivedChangeset, encodeDerivedChangeset } from "./derived-changeset-codec.ts";
import { derivedDigest } from "./derived-digest.ts";

const base = {
  v: 1 as const,
  planId: "p1",
  of: "22".repeat(32),
  baseTrees: { app: "11".repeat(32) },
  entries: [
    {
      decisionId: "d1",
      callOrdinal: 2,
      resource: "app",
      path: "x b/\u{1d4b3}",
      kind: "create" as const,
      before: null,
      after: contentState(Buffer.from("1"), "120000"),
    },
  ],
};

const merge: DerivedChangeset = { ...base, kind: "merge", digest: derivedDigest({ ...base, kind: "merge" }) };
const partial: DerivedChangeset = {
  ...base,
  kind: "partial",
  only: ["d1"],
  added: [
    { decisionId: "d2", neededBy: "d1", because: { kind: "depends_on" } },
    { decisionId: "d3", neededBy: "d2", because: { kind: "path", resource: "app", path: "a" } },
  ],
  digest: derivedDigest({ ...base, kind: "partial" }),
};
const rollback: RollbackChangeset = {
  ...base,
  kind: "rollback",
  undoes: base.of,
  externalEffects: [{ decisionId: "d1", callOrdinal: 0, tool: "http_post", outcome: "unknown" }],
  digest: derivedDigest({ ...base, kind: "rollback" }),
};

test("a derived changeset of each kind comes back as it was stored", () => {
  for (const changeset of [merge, partial, rollback]) {
    assert.deepEqual(decodeDerivedChangeset(encodeDerivedChangeset(changeset)), changeset);
  }
});

test("one that is not what its digest says, or is damaged, is never read", () => {
  const damaged = (bytes: Uint8Array, message: RegExp): void =>
    assert.throws(() => decodeDerivedChangeset(bytes), { code: "internal", message });
  damaged(encodeDerivedChangeset({ ...merge, planId: "p2" }), /its digest is [0-9a-f]{64}, and it says/);
  damaged(encodeDerivedChangeset({ ...merge, entries: [] }), /its digest is/);
  damaged(encodeDerivedChangeset({ ...rollback, undoes: "33".repeat(32) }), /at \/undoes/);
  damaged(zstdCompressSync(JSON.stringify({ ...merge, v: 2 })), /at \/v/);
  damaged(zstdCompressSync("{"), /cannot be read/);
  damaged(encodeDerivedChangeset(merge).subarray(0, 40), /cannot be read/);
});
