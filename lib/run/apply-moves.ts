import { ConflictError } from "../errors/planledger-error.ts";
import {
  type ApplicableChangeset,
  type ApplyOutcome,
  type ApplyUnderWay,
  type Disposition,
  type LastApply,
  noDisposition,
} from "./disposition.ts";
import { type EndedFrontier, movedAfterEnd } from "./ended-run.ts";
import type { Frontier } from "./frontier.ts";
import { type HeadMove, withSignedEvent } from "./frontier-move.ts";
import type { EventDraft } from "./ledger-chain.ts";

/** Of landed changesets the newest are kept. */
const maxLanded = 32;
/** Applies of one run; a caller that tries this often has another problem. */
const maxApplies = 1_000;

export interface ApplyStart {
  readonly changeset: ApplicableChangeset;
  readonly by: string;
  readonly project: string;
  /** What the apply makes comes after this revision (`revisionBeforeApply`). */
  readonly revisionAtStart: number;
  readonly nowEpochMs: number;
}

/** An apply begins: nothing else can be decided about the changeset until it is over. `frontier` has passed its gate. */
export function startApply(frontier: EndedFrontier, start: ApplyStart): HeadMove {
  const { changeset, by, project, revisionAtStart, nowEpochMs } = start;
  const disposition = frontier.disposition ?? noDisposition;
  if (disposition.attempts >= maxApplies) {
    throw new ConflictError({
      code: "too_many_control_moves",
      message: `Plan ${frontier.planId} was applied ${maxApplies} times without an end that stands.`,
      details: { limit: maxApplies },
    });
  }
  const apply: ApplyUnderWay = {
    ...changeset,
    by,
    startedAtEpochMs: nowEpochMs,
    attempt: disposition.attempts + 1,
    project,
    revisionAtStart,
  };
  const next = movedAfterEnd(frontier, nowEpochMs, { ...disposition, attempts: apply.attempt, apply });
  return withSignedEvent(next, {
    ...eventOf(frontier, apply, nowEpochMs),
    type: "changeset_apply_started",
  });
}

/**
 * The revision after which an apply finds what it made itself: the project's latest one, read after the frontier; or, where an
 * apply of the same digest was given up and may have written its revision after all, the one at which that began.
 */
export function revisionBeforeApply(
  { disposition }: Frontier,
  { digest, project, latest }: { readonly digest: string; readonly project: string; readonly latest: number },
): number {
  const last = disposition?.lastApply;
  const same = last?.status === "failed" && last.digest === digest && last.apply?.project === project;
  return same ? Math.min(latest, last.apply.revisionAtStart) : latest;
}

/**
 * An apply is over: its changeset stands applied, or the run is back in the phase of its end, and `lastApply` says why.
 * `undefined` when that apply is over already. One that was given up as failed and then turns out to have written its
 * revision is set right.
 */
export function endApply(
  frontier: EndedFrontier,
  ended: { readonly apply: ApplyUnderWay; readonly outcome: ApplyOutcome; readonly nowEpochMs: number },
): HeadMove | undefined {
  const { apply, outcome, nowEpochMs } = ended;
  const { disposition, state } = frontier;
  // The ledger of a run that was resumed goes on elsewhere.
  if (disposition === undefined || state.continuedBy !== undefined) return undefined;
  const { apply: underWay, ...rest } = disposition;
  const isUnderWay = underWay?.attempt === apply.attempt;
  const wasGivenUp =
    underWay === undefined &&
    rest.lastApply?.status === "failed" &&
    rest.lastApply.apply?.attempt === apply.attempt &&
    outcome.status === "applied";
  if (!isUnderWay && !wasGivenUp) return undefined;
  const { digest, kind, whole, undoes, by, attempt, project, revisionAtStart } = apply;
  const lastApply: LastApply = {
    digest,
    kind,
    whole,
    ...(undoes === undefined ? {} : { undoes }),
    by,
    atEpochMs: nowEpochMs,
    apply: { attempt, project, revisionAtStart },
    ...outcome,
  };
  const next = movedAfterEnd(frontier, nowEpochMs, {
    ...rest,
    landed: landedAfter(rest, apply, ended),
    lastApply,
  });
  return withSignedEvent(next, endEvent(eventOf(frontier, apply, nowEpochMs), apply, outcome));
}

function landedAfter(
  { landed }: Pick<Disposition, "landed">,
  apply: ApplyUnderWay,
  { outcome, nowEpochMs }: { readonly outcome: ApplyOutcome; readonly nowEpochMs: number },
): Disposition["landed"] {
  if (outcome.status !== "applied") return landed;
  const { digest, kind, whole, undoes, by, project } = apply;
  // What a rollback undoes stands no longer, so that nothing else holds the whole; and the rollback of what is applied again
  // can be applied again too.
  const standing = landed
    .filter((one) => one.digest !== undoes && one.undoes !== digest)
    .map((one) => (kind === "rollback" ? { ...one, whole: false } : one));
  const now = {
    digest,
    kind,
    whole,
    ...(undoes === undefined ? {} : { undoes }),
    by,
    atEpochMs: nowEpochMs,
    project,
    revision: outcome.revision,
  };
  return [...standing, now].slice(-maxLanded);
}

/** An apply that follows by itself was refused before it began. */
export function refuseAutoApply(
  frontier: EndedFrontier,
  refused: {
    readonly changeset: ApplicableChangeset;
    readonly outcome: Exclude<ApplyOutcome, { readonly status: "applied" }>;
    readonly nowEpochMs: number;
  },
): HeadMove {
  const { changeset, outcome, nowEpochMs } = refused;
  const lastApply: LastApply = { ...changeset, by: "service", atEpochMs: nowEpochMs, ...outcome };
  const disposition = { ...(frontier.disposition ?? noDisposition), lastApply };
  const next = movedAfterEnd(frontier, nowEpochMs, disposition);
  const event = { run: frontier.run, atEpochMs: nowEpochMs, by: "service", digest: changeset.digest };
  return withSignedEvent(next, endEvent(event, changeset, outcome));
}

type EventStart = Omit<EventDraft, "type">;

function eventOf(frontier: Frontier, apply: ApplyUnderWay, nowEpochMs: number): EventStart {
  const { by, digest, undoes, project } = apply;
  return {
    run: frontier.run,
    atEpochMs: nowEpochMs,
    by,
    digest,
    ...(undoes === undefined ? {} : { undoes }),
    project,
  };
}

function endEvent(event: EventStart, { kind }: ApplicableChangeset, outcome: ApplyOutcome): EventDraft {
  switch (outcome.status) {
    case "applied":
      return {
        ...event,
        type: kind === "rollback" ? "changeset_rolled_back" : "changeset_applied",
        revision: outcome.revision,
      };
    case "conflicts":
      return {
        ...event,
        type: "changeset_apply_failed",
        reason: `The project moved: ${outcome.conflictCount} paths are in the way.`,
      };
    case "failed":
      return { ...event, type: "changeset_apply_failed", reason: outcome.message.toWellFormed() };
    default:
      return outcome satisfies never;
  }
}
