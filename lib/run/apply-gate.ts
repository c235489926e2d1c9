import { ConflictError } from "../errors/planledger-error.ts";
import type { AutomationProfile } from "../plan/compiled-plan.ts";
import { type ApplicableChangeset, verdictOn, wholeLanded } from "./disposition.ts";
import { type EndedFrontier, requireSealed } from "./ended-run.ts";
import type { Frontier } from "./frontier.ts";
import { alreadyApplied, applyInProgress } from "./judge-changeset.ts";

/** Strictness of the profiles: an apply of a more lax one needs less. */
const strictness: Readonly<Record<AutomationProfile, number>> = { auto: 0, manual: 1, review: 2 };

export const isLaxer = (profile: AutomationProfile, than: AutomationProfile): boolean =>
  strictness[profile] < strictness[than];

/**
 * Whether a changeset of an ended run may be applied now, by what the frontier says. Each refusal is a `ConflictError` with a
 * code of its own: `not_sealed`, `superseded`, `apply_in_progress`, `already_applied`, `rejected`, `not_approved`,
 * `run_failed`. What the target says is not asked here.
 */
export function requireApplicable(
  frontier: Frontier,
  changeset: ApplicableChangeset,
  gate: { readonly profile: AutomationProfile; readonly allowFailed: boolean },
): EndedFrontier {
  const ended = requireSealed(frontier);
  const { planId, disposition, state } = ended;
  const { digest } = changeset;
  if (disposition?.apply !== undefined) throw applyInProgress(ended, disposition.apply.digest);
  // After all of it has landed nothing of it can land again; a rollback is what undoes it.
  const landed =
    disposition?.landed.find((one) => one.digest === digest) ??
    (changeset.kind === "rollback" ? undefined : wholeLanded(disposition));
  if (landed !== undefined) throw alreadyApplied(ended, landed);
  const verdict = verdictOn(disposition, digest);
  if (verdict?.verdict === "rejected") {
    throw new ConflictError({
      code: "rejected",
      message: `The changeset ${digest} of plan ${planId} was rejected by ${verdict.by}. It can be applied only after somebody approves it.`,
      details: { digest, by: verdict.by },
    });
  }
  if (gate.profile === "review" && verdict === undefined) {
    throw new ConflictError({
      code: "not_approved",
      message: `Plan ${planId} runs under the profile review: somebody other than who submitted it must approve the changeset ${digest} first (POST /v1/plans/${planId}/approve). An approval holds for one digest.`,
      details: { digest, profile: gate.profile },
    });
  }
  if (state.phase !== "completed" && !gate.allowFailed && changeset.kind !== "rollback") {
    throw new ConflictError({
      code: "run_failed",
      message: `Run ${ended.run} of plan ${planId} ended as ${state.phase}, so its changeset lacks what did not land. Apply it with allowFailed if that is what you want, or resume the plan first.`,
      details: { digest, phase: state.phase, run: ended.run },
    });
  }
  return ended;
}
