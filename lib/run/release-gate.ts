import type { AutomationProfile, CompiledDecision, PlanRecord } from "../plan/compiled-plan.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { Frontier, Release, ReleaseWanted } from "./frontier.ts";
import { releaseDigest } from "./release-digest.ts";

const gatedProfile: AutomationProfile = "review";

/**
 * What must be approved before a decision with external calls may run: `undefined` when nothing must, or somebody has
 * answered. Everything before the decision is final. One that will be skipped calls nothing, and needs nobody's approval.
 */
export function releaseWanted(
  frontier: Frontier,
  decision: CompiledDecision,
  { plan, missing }: { readonly plan: PlanRecord; readonly missing: number },
): ReleaseWanted | undefined {
  if (plan.plan.automationProfile !== gatedProfile || missing > 0) return undefined;
  if (answerOn(frontier, decision) !== undefined) return undefined;
  const { ordinal, id: decisionId } = decision;
  return { ordinal, decisionId, digest: releaseDigest(frontier.chainHead, decision) };
}

/** The answer that holds for a decision: given for it, for these calls, on this state. */
function answerOn({ release, chainHead }: Frontier, decision: CompiledDecision): Release | undefined {
  if (release === undefined || release.ordinal !== decision.ordinal) return undefined;
  return release.digest === releaseDigest(chainHead, decision) ? release : undefined;
}

/** A run that waits for an approval, and was put aside until it comes. */
export const isWaiting = (frontier: Frontier): boolean =>
  frontier.waitingFor !== undefined && frontier.nextCheckEpochSeconds === undefined;

/** The record of a decision whose external calls somebody rejected: it fails, and none of its calls was made. */
export function rejectedRecord(
  frontier: Frontier,
  decision: CompiledDecision,
  startedAtEpochMs: number,
): DecisionRecord | undefined {
  const answer = answerOn(frontier, decision);
  if (answer?.verdict !== "rejected") return undefined;
  return {
    ordinal: decision.ordinal,
    decisionId: decision.id,
    outcome: {
      status: "failed",
      failure: {
        code: "rejected",
        message: `The external calls of decision ${decision.id} were rejected by ${answer.by}; none of its calls was made.`,
      },
    },
    calls: [],
    entries: [],
    reads: [],
    startedAtEpochMs,
    durationMs: 0,
  };
}
