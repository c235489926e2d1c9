import { ConflictError } from "../errors/planledger-error.ts";
import type { Disposition } from "./disposition.ts";
import type { Frontier, FrontierState } from "./frontier.ts";
import { moved, unwatched } from "./frontier-move.ts";
import { hasApplyDue } from "./phase-change.ts";

export type EndedState = Extract<FrontierState, { readonly digest: string }>;
export type EndedFrontier = Frontier & { readonly state: EndedState };

export const isEnded = (frontier: Frontier): frontier is EndedFrontier => "digest" in frontier.state;

/**
 * The frontier of a run whose changeset something can be decided about: the run has ended (else `not_sealed`), and no
 * further run has taken its place (else `superseded`).
 */
export function requireSealed(frontier: Frontier): EndedFrontier {
  const { planId, run, state } = frontier;
  if (!isEnded(frontier)) {
    throw new ConflictError({
      code: "not_sealed",
      message: `Run ${run} of plan ${planId} is ${state.phase === "cancelling" ? "being cancelled" : state.phase}; its changeset gets its digest when the run has ended.`,
      details: { run, phase: state.phase },
    });
  }
  const { digest, continuedBy } = frontier.state;
  if (continuedBy !== undefined) throw superseded({ planId, digest, run, by: continuedBy });
  return frontier;
}

/** A digest of a run that went on in a further one. */
export const superseded = (at: {
  readonly planId: string;
  readonly digest: string;
  readonly run: number;
  readonly by: number;
}): ConflictError =>
  new ConflictError({
    code: "superseded",
    message: `The digest ${at.digest} is that of run ${at.run} of plan ${at.planId}, which was resumed: run ${at.by} goes on from its changeset and gets a digest that covers both. Wait for it.`,
    details: { digest: at.digest, run: at.run, supersededBy: at.by },
  });

/**
 * What every move of an ended run's frontier does besides its own change: it is watched only while an apply is due or under
 * way. With a disposition it is one about its apply, and no apply follows by itself any more.
 */
export function movedAfterEnd(frontier: Frontier, nowEpochMs: number, disposition?: Disposition): Frontier {
  const next = withDisposition(moved(frontier, nowEpochMs), disposition);
  return hasApplyDue(next) ? next : unwatched(next);
}

const withDisposition = (frontier: Frontier, disposition: Disposition | undefined): Frontier => {
  if (disposition === undefined) return frontier;
  const { autoApply: _, ...rest } = frontier;
  return { ...rest, disposition };
};
