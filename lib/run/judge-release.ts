import { ConflictError } from "../errors/planledger-error.ts";
import type { Frontier, Release } from "./frontier.ts";
import { moved, unwatched, withControlEvent } from "./frontier-move.ts";
import type { Judgement } from "./judge-changeset.ts";

/** Verdicts on one run's decisions that may wait for its next step. */
const maxWaitingEvents = 64;

/**
 * Answers the question at which a run waits: from then on that decision alone may make its external calls, or fails without
 * having made any, and the run goes on. `undefined`: it was answered so already. The digest must be the one that the status
 * shows (`digest_mismatch`).
 */
export function judgeRelease(frontier: Frontier, judgement: Judgement): Frontier | undefined {
  const { digest, verdict, by, reason, nowEpochMs } = judgement;
  const { waitingFor, release } = frontier;
  if (release?.digest === digest && release.verdict === verdict) return undefined;
  if (waitingFor?.digest !== digest) {
    throw new ConflictError({
      code: "digest_mismatch",
      message: `Run ${frontier.run} of plan ${frontier.planId} waits for an approval of ${waitingFor?.digest ?? "nothing"}, not of ${digest}.`,
      details: { digest: waitingFor?.digest, given: digest },
    });
  }
  if (frontier.controlEvents.length >= maxWaitingEvents) {
    throw new ConflictError({
      code: "too_many_control_moves",
      message: `Plan ${frontier.planId} has ${maxWaitingEvents} events that wait for its next step. Let it run, or cancel it.`,
      details: { limit: maxWaitingEvents },
    });
  }
  const { waitingFor: _, ...rest } = moved(frontier, nowEpochMs);
  const answered: Release = { ...waitingFor, verdict, by };
  const next: Frontier = { ...rest, release: answered };
  return withControlEvent(frontier.state.phase === "paused" ? unwatched(next) : next, {
    type: verdict === "approved" ? "decision_approved" : "decision_rejected",
    run: frontier.run,
    atEpochMs: nowEpochMs,
    by,
    decisionId: waitingFor.decisionId,
    ordinal: waitingFor.ordinal,
    digest,
    ...(reason === undefined ? {} : { reason: reason.toWellFormed() }),
  });
}
