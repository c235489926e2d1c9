import { PlanError } from "../errors/planledger-error.ts";
import type { CheckpointRef, ExternalIntent, Frontier, ReleaseWanted, RunUnits } from "./frontier.ts";
import { moved, type Sealing, sealing, unwatched, withControlEvent } from "./frontier-move.ts";
import { chainEvent, ledgerEndAfter } from "./ledger-chain.ts";
import type { RunRecord } from "./run-record.ts";
import { runRecordSha256 } from "./run-record-hash.ts";
import type { Step } from "./step.ts";

/** How many failed or skipped decisions the status lists. */
export const listedFailures = 100;

/** The transitions by which a worker moves a run on. Each is refused unless the run is where the transition begins. */
function requireRunning(frontier: Frontier, what: string): void {
  if (frontier.state.phase !== "running") {
    throw new PlanError({
      code: "phase_conflict",
      message: `Run ${frontier.run} of plan ${frontier.planId} is ${frontier.state.phase}; only a running one can ${what}.`,
      details: { phase: frontier.state.phase },
    });
  }
}

/** A worker begins: submitted to running, with the event that says so. */
export function begin(frontier: Frontier, run: RunRecord, nowEpochMs: number): Frontier {
  if (frontier.state.phase !== "submitted") {
    throw new PlanError({
      code: "phase_conflict",
      message: `Run ${frontier.run} of plan ${frontier.planId} is ${frontier.state.phase}; it has begun before.`,
      details: { phase: frontier.state.phase },
    });
  }
  const begun: Frontier = {
    ...moved(frontier, nowEpochMs),
    state: { phase: "running" },
    startedAtEpochMs: nowEpochMs,
    watch: frontier.revision,
  };
  return withControlEvent(begun, {
    type: "runtime_execute_started",
    run: frontier.run,
    atEpochMs: nowEpochMs,
    by: run.requestedBy,
    recordSha256: runRecordSha256(run),
  });
}

/** A run without decisions is complete as soon as it has begun. */
export function completeEmpty(frontier: Frontier, nowEpochMs: number): Sealing {
  requireRunning(frontier, "complete");
  const complete = withControlEvent(moved(frontier, nowEpochMs), {
    type: "runtime_execute_complete",
    run: frontier.run,
    atEpochMs: nowEpochMs,
    by: "service",
    digest: frontier.chainHead,
  });
  return sealing(complete, "completed", nowEpochMs);
}

export interface Advance {
  readonly step: Step;
  readonly nowEpochMs: number;
  /** The worker that moves: the revision at which it began. */
  readonly watch: number;
  readonly units: RunUnits;
  readonly checkpoint?: CheckpointRef;
}

/**
 * The decisions of a step become final. The step must have been written for exactly this frontier: its position, its
 * epoch, its heads. The last one seals the run.
 */
export function advance(
  frontier: Frontier,
  { step, nowEpochMs, watch, units, checkpoint }: Advance,
): { readonly kind: "move"; readonly next: Frontier } | { readonly kind: "seal"; readonly sealing: Sealing } {
  requireRunning(frontier, "advance");
  requireFits(frontier, step);
  const position = step.from + step.decisions.length;
  const { intent, suspect, waitingFor, release, ...rest } = moved({ ...frontier, units }, nowEpochMs);
  const lastEvent = step.events.at(-1);
  const next: Frontier = {
    ...rest,
    position,
    counts: step.counts,
    chainHead: step.chainHead,
    ledgerHead: step.ledgerHead,
    lastSeq: lastEvent?.seq ?? frontier.lastSeq,
    controlEvents: [],
    failureSteps: failureStepsWith(frontier, step),
    watch,
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(suspect !== undefined && suspect.position >= position ? { suspect } : {}),
  };
  if (position < frontier.decisionCount) {
    return { kind: "move", next };
  }
  const { failed, skipped } = step.counts;
  return {
    kind: "seal",
    sealing: sealing(next, failed + skipped > 0 ? "failed" : "completed", lastEvent?.atEpochMs ?? nowEpochMs),
  };
}

/** A step found under this position and epoch was made for the same events and heads; anything else is corruption. */
function requireFits(frontier: Frontier, step: Step): void {
  const first = step.events[0];
  const expectedSeq = frontier.lastSeq - frontier.controlEvents.length + 1;
  const fits =
    step.run === frontier.run &&
    step.from === frontier.position &&
    step.epoch === frontier.epoch &&
    step.decisions.length > 0 &&
    step.from + step.decisions.length <= frontier.decisionCount &&
    first?.seq === expectedSeq &&
    frontier.controlEvents.every((event, index) => step.events[index]?.ledgerHead === event.ledgerHead);
  const rechained = step.events.slice(frontier.controlEvents.length).reduce(
    (end, event) => {
      const { ledgerHead: _, seq: __, ...draft } = event;
      return ledgerEndAfter(chainEvent(end, draft));
    },
    { lastSeq: frontier.lastSeq, ledgerHead: frontier.ledgerHead },
  );
  if (!fits || rechained.ledgerHead !== step.ledgerHead) {
    throw new PlanError({
      code: "internal",
      message: `Step ${step.from} (epoch ${step.epoch}) of run ${step.run} of plan ${frontier.planId} does not continue its frontier at ${frontier.position} (epoch ${frontier.epoch}).`,
    });
  }
}

function failureStepsWith(frontier: Frontier, step: Step): readonly number[] {
  const before = frontier.counts.failed + frontier.counts.skipped;
  const after = step.counts.failed + step.counts.skipped;
  return after > before && before < listedFailures
    ? [...frontier.failureSteps, step.from]
    : frontier.failureSteps;
}

/** The run stops before a decision with external effects, until somebody answers; nobody needs to look at it until then. */
export function awaitRelease(frontier: Frontier, wanted: ReleaseWanted, nowEpochMs: number): Frontier {
  requireRunning(frontier, "wait for an approval");
  const { release: _, suspect: __, ...rest } = moved(frontier, nowEpochMs);
  return unwatched({ ...rest, waitingFor: wanted });
}

/** An external call is about to start. */
export function recordIntent(frontier: Frontier, intent: ExternalIntent, nowEpochMs: number): Frontier {
  requireRunning(frontier, "start an external call");
  return { ...moved(frontier, nowEpochMs), intent };
}

/** A worker takes over from one that seems to have died; how often that happened at this position is counted. */
export function markSuspect(frontier: Frontier, watch: number, nowEpochMs: number): Frontier {
  requireRunning(frontier, "be taken over");
  const { position, suspect } = frontier;
  const starts = suspect?.position === position ? suspect.starts + 1 : 1;
  return { ...moved(frontier, nowEpochMs), suspect: { position, starts }, watch };
}

/** The worker is alive and knows why it stopped: what it met was no poison. */
export function clearSuspect(frontier: Frontier, nowEpochMs: number): Frontier {
  const { suspect: _, ...rest } = moved(frontier, nowEpochMs);
  return rest;
}

/** Nothing is final yet, but somebody is at work. */
export function heartbeat(frontier: Frontier, watch: number, nowEpochMs: number): Frontier {
  requireRunning(frontier, "show a heartbeat");
  return { ...moved(frontier, nowEpochMs), watch };
}
