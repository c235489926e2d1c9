import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  changesetPartition,
  externalResultKey,
  frontierKey,
  keyPart,
  planKey,
  resourceSortKey,
  revisionKey,
  runKey,
  runOfFrontierKey,
  serverPlanKey,
  stepSortKey,
  stepsPartition,
  tenDigits,
  timedRecordKey,
  tokenKey,
} from "./table-keys.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 300);
// Strings made of what keys are made of, so that a forgery, were one possible, is likely.
const text = fc.oneof(
  fc.constantFrom("a", "b", "a#P#b", "b#P#a", "b#P#b", "a#P#b#S#0000000001"),
  fc
    .array(fc.constantFrom("T", "P", "#", "S", "X", "PLAN", "FRONTIER#", "0000000001", "a", "/"), {
      maxLength: 5,
    })
    .map((parts) => parts.join("")),
);
const number = fc.nat({ max: 3 });

function accepted<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

test("no two things share a key, whatever callers call them", () => {
  const key = fc.record({ tenant: text, planId: text, run: number, from: number, epoch: number });
  const seen = new Map<string, string>();
  fc.assert(
    fc.property(key, ({ tenant, planId, run, from, epoch }) => {
      const keys = {
        [`plan ${JSON.stringify([tenant, planId])}`]: () => planKey({ tenant, planId }),
        [`server plan ${JSON.stringify([tenant, planId])}`]: () =>
          serverPlanKey({ tenant, serverPlanId: planId }),
        [`frontier ${JSON.stringify([tenant, planId, run])}`]: () => frontierKey({ tenant, planId, run }),
        [`run ${JSON.stringify([tenant, planId, run])}`]: () => runKey({ tenant, planId, run }),
        [`step ${JSON.stringify([tenant, planId, run, from, epoch])}`]: () => ({
          pk: stepsPartition({ tenant, planId, run }),
          sk: stepSortKey(from, epoch),
        }),
        [`external ${JSON.stringify([tenant, planId, run, from, epoch])}`]: () =>
          externalResultKey({ tenant, planId, run, ordinal: from, callOrdinal: epoch }),
        [`changeset ${JSON.stringify([tenant, planId])}`]: () => ({
          pk: changesetPartition({ tenant, changesetId: planId }),
          sk: "HEAD",
        }),
        [`revision ${JSON.stringify([tenant, planId, run])}`]: () =>
          revisionKey({ tenant, kind: "tools", id: planId, revision: run }),
        [`token ${JSON.stringify(planId)}`]: () => tokenKey(planId),
        [`timed record ${JSON.stringify([tenant, planId, run])}`]: () =>
          timedRecordKey({ tenant, kind: `kind-${run}`, name: planId }),
      };
      for (const [owner, make] of Object.entries(keys)) {
        const made = accepted(make);
        if (made === undefined) continue;
        const at = JSON.stringify([made.pk, made.sk]);
        assert.equal(seen.get(at) ?? owner, owner);
        seen.set(at, owner);
      }
    }),
    { numRuns },
  );
});

test("numbers sort as numbers", () => {
  fc.assert(
    fc.property(fc.nat({ max: 9_999_999_999 }), fc.nat({ max: 9_999_999_999 }), (one, other) => {
      assert.equal(tenDigits(one, "n") < tenDigits(other, "n"), one < other);
    }),
    { numRuns },
  );
  for (const value of [-1, 1.5, Number.NaN, 10_000_000_000, Number.POSITIVE_INFINITY]) {
    assert.throws(() => tenDigits(value, "position"), { field: "position" });
  }
});

test("a frontier's key names its run, and the key of nothing else does", () => {
  const run = { tenant: "acme", planId: "p.1", run: 12 };
  assert.deepEqual(runOfFrontierKey(frontierKey(run)), run);
  for (const key of [planKey(run), runKey(run), externalResultKey({ ...run, ordinal: 1, callOrdinal: 0 })]) {
    assert.equal(runOfFrontierKey(key), undefined);
  }
});

test("a part that could forge a key is refused, its field named", () => {
  for (const value of ["", "a#b", "#", "a\u0000", "a\nb", "\ud800", "a\u007f"]) {
    assert.throws(() => keyPart(value, "planId"), { field: "planId", code: "validation_failed" });
    assert.throws(() => resourceSortKey({ kind: "tools", id: value }), { field: "id" });
  }
  assert.throws(() => keyPart("x".repeat(601), "planId"), { field: "planId", code: "validation_failed" });
  assert.equal(keyPart("\u{1f4d2}".repeat(129), "id"), "\u{1f4d2}".repeat(129));
  assert.equal(keyPart("größe/\u{1f4d2}.x", "id"), "größe/\u{1f4d2}.x");
});
