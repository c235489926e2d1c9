import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlanStatusReply } from "#lib/api/plan-replies.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { requireApplicable } from "./directory-gate.ts";

const digest = "a".repeat(64);
const status: PlanStatusReply = {
  planId: "p1",
  serverPlanId: "pln_1",
  phase: "completed",
  message: "",
  run: 1,
  changesetId: "c1",
  automationProfile: "manual",
  digest,
  counts: { total: 2, pending: 0, landed: 2, failed: 0, skipped: 0 },
  toolCalls: 1,
  entries: 1,
  noChanges: false,
  failures: [],
  failuresTruncated: false,
  cost: { costUsd: 0, units: {}, priceListDate: "" },
  costUsd: 0,
};
const verdict = (judged: "approved" | "rejected", of = digest) => ({
  approvals: [{ digest: of, verdict: judged, by: "bob", at: "2026-01-01T00:00:00.000Z" }],
});
const failed = { counts: { total: 2, pending: 0, landed: 1, failed: 1, skipped: 0 } };

/** `applied`, or the code of the refusal. */
function outcome(
  changed: Partial<PlanStatusReply>,
  order: { readonly kind?: "sealed" | "rollback"; readonly allowFailed?: boolean } = {},
): string {
  const { kind = "sealed", allowFailed = false } = order;
  try {
    requireApplicable({ ...status, ...changed }, { digest, kind }, { allowFailed });
    return "applied";
  } catch (fault) {
    assert.ok(fault instanceof PlanledgerError);
    return fault.code;
  }
}

test("a directory gets what a project would get: verdicts, profile and phase count, each with its own refusal", () => {
  assert.equal(outcome({}), "applied");
  assert.equal(outcome({ phase: "applied" }), "applied");
  assert.equal(outcome(verdict("rejected")), "rejected");
  assert.equal(outcome({ automationProfile: "review" }), "not_approved");
  assert.equal(
    outcome({ automationProfile: "review", ...verdict("approved", "b".repeat(64)) }),
    "not_approved",
  );
  assert.equal(outcome({ automationProfile: "review", ...verdict("approved") }), "applied");
  assert.equal(outcome({ phase: "failed", ...failed }), "run_failed");
  assert.equal(outcome({ phase: "cancelled", ...failed }), "run_failed");
  // A failed run that was applied to its project is a failed run still.
  assert.equal(outcome({ phase: "applied", ...failed }), "run_failed");
  assert.equal(outcome({ phase: "failed", ...failed }, { allowFailed: true }), "applied");
  assert.equal(outcome({ phase: "failed", ...failed }, { kind: "rollback" }), "applied");
});
