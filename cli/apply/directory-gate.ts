import type { PlanStatusReply } from "#lib/api/plan-replies.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";

/**
 * What the service asks before an apply to a project, asked before one to a directory, by what the status says: a sealed run,
 * no rejection, an approval under `review`, and a completed run unless the caller takes less. Codes are those of the service.
 */
export function requireApplicable(
  status: PlanStatusReply,
  changeset: { readonly digest: string; readonly kind: "sealed" | "merge" | "partial" | "rollback" },
  { allowFailed }: { readonly allowFailed: boolean },
): void {
  const { planId, phase, approvals = [], automationProfile, counts } = status;
  const { digest, kind } = changeset;
  requireSealed(status);
  const verdict = approvals.find((approval) => approval.digest === digest);
  if (verdict?.verdict === "rejected") {
    throw new ConflictError({
      code: "rejected",
      message: `The changeset ${digest} was rejected by ${verdict.by}. It can be applied only after somebody approves it.`,
      details: { digest, by: verdict.by },
    });
  }
  if (automationProfile === "review" && verdict === undefined) {
    throw new ConflictError({
      code: "not_approved",
      message: `Plan ${planId} runs under the profile review: somebody other than who submitted it must approve the changeset first (planledger plan approve ${planId} --digest ${digest}).`,
      details: { digest, profile: automationProfile },
    });
  }
  const complete = phase === "completed" || counts.landed === counts.total;
  if (!complete && !allowFailed && kind !== "rollback") {
    throw new ConflictError({
      code: "run_failed",
      message: `Run ${status.run} of plan ${planId} did not complete (${counts.landed} of ${counts.total} landed). Apply its changeset with --allow-failed if that is what you want, or resume the plan first.`,
      details: { digest, phase, run: status.run },
    });
  }
}

/** The sealed digest, once there is one. */
export function requireSealed({ planId, phase, run, digest }: PlanStatusReply): string {
  if (digest !== undefined) return digest;
  throw new ConflictError({
    code: "not_sealed",
    message: `Run ${run} of plan ${planId} has not ended (it is ${phase}), so its changeset has no digest yet.`,
    details: { phase, run },
  });
}
