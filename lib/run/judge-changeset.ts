import { ConflictError } from "../errors/planledger-error.ts";
import { type Approval, noDisposition, verdictOn, wholeLanded } from "./disposition.ts";
import { movedAfterEnd, requireSealed } from "./ended-run.ts";
import type { Frontier } from "./frontier.ts";
import { type HeadMove, withSignedEvent } from "./frontier-move.ts";

/** Digests of one run that can have a verdict. */
const maxJudgedDigests = 64;

export interface Judgement extends Omit<Approval, "atEpochMs"> {
  readonly reason?: string;
  readonly nowEpochMs: number;
}

/**
 * Approves or rejects the changeset of a digest; a later verdict replaces an earlier one. `undefined`: it stands so already.
 * Whether the digest is one of the plan's, and whether the principal may judge, is known to the caller. Refused while an
 * apply of it is under way, and a rejection of what is applied.
 */
export function judgeChangeset(frontier: Frontier, judgement: Judgement): HeadMove | undefined {
  const ended = requireSealed(frontier);
  const { digest, verdict, by, reason, nowEpochMs } = judgement;
  const disposition = ended.disposition ?? noDisposition;
  const standing = verdictOn(disposition, digest);
  if (standing?.verdict === verdict && (verdict === "rejected" || standing.by === by)) return undefined;
  if (disposition.apply?.digest === digest) throw applyInProgress(ended, disposition.apply.digest);
  const landed =
    disposition.landed.find((one) => one.digest === digest) ??
    (digest === ended.state.digest ? wholeLanded(disposition) : undefined);
  if (verdict === "rejected" && landed !== undefined) throw alreadyApplied(ended, landed);
  const others = disposition.approvals.filter((approval) => approval.digest !== digest);
  if (others.length >= maxJudgedDigests) {
    throw new ConflictError({
      code: "too_many_control_moves",
      message: `Plan ${ended.planId} has verdicts on ${maxJudgedDigests} digests already.`,
      details: { limit: maxJudgedDigests },
    });
  }
  return withSignedEvent(
    {
      ...movedAfterEnd(ended, nowEpochMs),
      disposition: { ...disposition, approvals: [...others, { digest, verdict, by, atEpochMs: nowEpochMs }] },
    },
    {
      type: verdict === "approved" ? "changeset_approved" : "changeset_rejected",
      run: ended.run,
      atEpochMs: nowEpochMs,
      by,
      digest,
      ...(reason === undefined ? {} : { reason: reason.toWellFormed() }),
    },
  );
}

export const applyInProgress = ({ planId }: Pick<Frontier, "planId">, digest: string): ConflictError =>
  new ConflictError({
    code: "apply_in_progress",
    message: `The changeset ${digest} of plan ${planId} is being applied. The outcome will stand in the status as lastApply.`,
    details: { digest },
  });

export const alreadyApplied = (
  { planId }: Pick<Frontier, "planId">,
  landed: {
    readonly digest: string;
    readonly undoes?: string;
    readonly project: string;
    readonly revision: number;
  },
): ConflictError =>
  new ConflictError({
    code: "already_applied",
    message: `The changeset ${landed.digest} of plan ${planId} is applied: it made revision ${landed.revision} of project ${landed.project}. ${landed.undoes === undefined ? "To take it back, make a rollback changeset." : `To take it back, apply what it undid again (${landed.undoes}).`}`,
    details: { digest: landed.digest, project: landed.project, revision: landed.revision },
  });
