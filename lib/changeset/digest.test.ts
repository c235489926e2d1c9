import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod/mini";
import { canonicalJson } from "../canonical/canonical-json.ts";
import { changeEntrySchema } from "./change-entry-schema.ts";
import { initialDigest, nextDigest } from "./digest.ts";

const vectorsSchema = z.object({
  planId: z.string(),
  baseTrees: z.record(z.string(), z.string()),
  initial: z.object({ canonical: z.string(), digest: z.string() }),
  decisions: z.array(
    z.object({
      decisionId: z.string(),
      entries: z.array(changeEntrySchema),
      canonical: z.string(),
      digest: z.string(),
    }),
  ),
});
const vectors = vectorsSchema.parse(
  JSON.parse(readFileSync(new URL("digest.vectors.json", import.meta.url), "utf8")),
);

test("the committed vectors hold: canonical forms and digests, decision by decision", () => {
  const { planId, baseTrees, initial } = vectors;
  assert.equal(canonicalJson(["planledger-changeset/1", planId, baseTrees]), initial.canonical);
  assert.equal(createHash("sha256").update(initial.canonical).digest("hex"), initial.digest);
  let digest = initialDigest(planId, baseTrees);
  assert.equal(digest, initial.digest);
  for (const { canonical, digest: expected, ...decision } of vectors.decisions) {
    const bytes = Buffer.concat([Buffer.from(digest, "hex"), Buffer.from(canonical)]);
    assert.equal(createHash("sha256").update(bytes).digest("hex"), expected, decision.decisionId);
    digest = nextDigest(digest, decision);
    assert.equal(digest, expected, decision.decisionId);
  }
});

test("every field that the digest covers changes it, and the git id does not", () => {
  const decision = vectors.decisions.at(-1);
  const entry = decision?.entries.find(({ kind }) => kind === "modify");
  assert.ok(decision !== undefined && entry?.after != null);
  const { after } = entry;
  const start = vectors.initial.digest;
  const digestOf = (change: object, decisionId = decision.decisionId) =>
    nextDigest(start, { decisionId, entries: [{ ...entry, ...change }] });
  const digests = [
    digestOf({}),
    digestOf({}, "another"),
    digestOf({ callOrdinal: 7 }),
    digestOf({ resource: "other" }),
    digestOf({ path: "other" }),
    digestOf({ kind: "type" }),
    digestOf({ before: null }),
    digestOf({ after: null }),
    digestOf({ after: { ...after, sha256: "0".repeat(64) } }),
    digestOf({ after: { ...after, sizeBytes: after.sizeBytes + 1 } }),
    digestOf({ after: { ...after, mode: "120000" } }),
    nextDigest("0".repeat(64), { decisionId: decision.decisionId, entries: [entry] }),
  ];
  assert.equal(new Set(digests).size, digests.length);
  assert.equal(digestOf({ after: { ...after, gitBlobId: "f".repeat(40) } }), digests[0]);
  assert.notEqual(initialDigest("a", {}), initialDigest("b", {}));
  assert.notEqual(initialDigest("a", { app: "1" }), initialDigest("a", { app: "2" }));
});

test("entries are hashed by call, then by the bytes of the path, in whichever order they come", () => {
  const entries = vectors.decisions.flatMap((decision) => decision.entries);
  const distinct = entries.filter(
    (entry, index) =>
      entries.findIndex(
        ({ callOrdinal, path }) => callOrdinal === entry.callOrdinal && path === entry.path,
      ) === index,
  );
  const expected = nextDigest(vectors.initial.digest, { decisionId: "d", entries: distinct });
  fc.assert(
    fc.property(fc.shuffledSubarray(distinct, { minLength: distinct.length }), (shuffled) => {
      assert.equal(nextDigest(vectors.initial.digest, { decisionId: "d", entries: shuffled }), expected);
    }),
  );
});
