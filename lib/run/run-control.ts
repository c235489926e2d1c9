import { ConflictError } from "../errors/planledger-error.ts";
import { wholeLanded } from "./disposition.ts";
import type { Frontier } from "./frontier.ts";
import {
  type HeadMove,
  moved,
  type Sealing,
  sealing,
  unwatched,
  withControlEvent,
  withSignedEvent,
} from "./frontier-move.ts";
import { alreadyApplied, applyInProgress } from "./judge-changeset.ts";
import type { EventDraft } from "./ledger-chain.ts";

/** Control events that may wait on a frontier for the next step; a cancel is always taken. */
export const maxControlEvents = 64;

export interface ControlRequest {
  readonly by: string;
  readonly reason?: string;
  readonly nowEpochMs: number;
}

/** What a control move comes to: already so, one write, or one write that must be signed first. */
export type ControlMove =
  | { readonly kind: "already" }
  | { readonly kind: "move"; readonly next: Frontier }
  | { readonly kind: "seal"; readonly sealing: Sealing };

/** Nothing becomes final from this write on. An external call under way goes on; its result is kept. */
export function pauseRun(frontier: Frontier, request: ControlRequest): ControlMove {
  const { phase } = frontier.state;
  switch (phase) {
    case "paused":
      return { kind: "already" };
    case "submitted":
    case "running": {
      requireRoom(frontier);
      const paused = unwatched({ ...moved(frontier, request.nowEpochMs), state: { phase: "paused" } });
      return { kind: "move", next: withEvent(paused, "runtime_execute_paused", request) };
    }
    case "cancelling":
    case "completed":
    case "failed":
    case "cancelled":
      throw phaseConflict(frontier, "paused", "submitted or running");
    default:
      return phase satisfies never;
  }
}

/** A paused run goes on where it stood. An ended one takes a further run (`resume-ended-run.ts`). */
export function resumePausedRun(frontier: Frontier, request: ControlRequest): ControlMove {
  const { phase } = frontier.state;
  switch (phase) {
    case "submitted":
    case "running":
      return { kind: "already" };
    case "paused": {
      requireRoom(frontier);
      const state = { phase: frontier.startedAtEpochMs === undefined ? "submitted" : "running" } as const;
      const resumed: Frontier = { ...moved(frontier, request.nowEpochMs), state };
      return { kind: "move", next: withEvent(resumed, "runtime_execute_resumed", request) };
    }
    case "cancelling":
    case "completed":
    case "failed":
    case "cancelled":
      throw phaseConflict(frontier, "resumed", "paused");
    default:
      return phase satisfies never;
  }
}

/** Nothing becomes final from this write on. Seals at once, or once the external call under way is over. */
export function cancelRun(frontier: Frontier, request: ControlRequest, callUnderWay: boolean): ControlMove {
  const { phase } = frontier.state;
  switch (phase) {
    case "cancelling":
    case "cancelled":
      return { kind: "already" };
    case "submitted":
    case "running":
    case "paused": {
      if (!callUnderWay) {
        return { kind: "seal", sealing: cancelled(frontier, request) };
      }
      const { by, reason } = request;
      const state = { phase: "cancelling", by, ...(reason === undefined ? {} : { reason }) } as const;
      const next: Frontier = { ...moved(frontier, request.nowEpochMs), epoch: frontier.epoch + 1, state };
      return { kind: "move", next };
    }
    case "completed":
    case "failed":
      throw phaseConflict(frontier, "cancelled", "submitted, running or paused");
    default:
      return phase satisfies never;
  }
}

/**
 * An ended run goes on in the next one: from then on the ledger continues there and nowhere else, and nothing more can be
 * decided about its changeset. Refused while that is being applied, and once it is. `undefined`: it goes on already.
 */
export function continueRun(frontier: Frontier, request: ControlRequest): HeadMove | undefined {
  const { state, disposition } = frontier;
  switch (state.phase) {
    case "failed":
    case "cancelled": {
      if (state.continuedBy !== undefined) {
        return undefined;
      }
      if (disposition?.apply !== undefined) throw applyInProgress(frontier, disposition.apply.digest);
      const landed = wholeLanded(disposition);
      if (landed !== undefined) throw alreadyApplied(frontier, landed);
      const continued: Frontier = {
        ...unwatched(moved(frontier, request.nowEpochMs)),
        state: { ...state, continuedBy: frontier.run + 1 },
      };
      return withSignedEvent(continued, controlEvent(frontier, "runtime_execute_resumed", request));
    }
    case "submitted":
    case "running":
    case "paused":
    case "cancelling":
    case "completed":
      throw phaseConflict(frontier, "continued by a further run", "failed or cancelled");
    default:
      return state satisfies never;
  }
}

/** The external call that a cancel waited for is over, or taken for dead. */
export function finishCancel(frontier: Frontier, nowEpochMs: number): Sealing {
  if (frontier.state.phase !== "cancelling") {
    throw phaseConflict(frontier, "sealed as cancelled", "cancelling");
  }
  return cancelled(frontier, { ...frontier.state, nowEpochMs });
}

function cancelled(frontier: Frontier, request: ControlRequest): Sealing {
  const ended = withEvent(
    moved(frontier, request.nowEpochMs),
    "runtime_execute_cancelled",
    request,
    frontier.chainHead,
  );
  return sealing(ended, "cancelled", request.nowEpochMs);
}

type ControlEventType = "runtime_execute_paused" | "runtime_execute_resumed" | "runtime_execute_cancelled";

function withEvent(
  frontier: Frontier,
  type: ControlEventType,
  ...[request, digest]: [ControlRequest, string?]
): Frontier {
  return withControlEvent(frontier, {
    ...controlEvent(frontier, type, request),
    ...(digest === undefined ? {} : { digest }),
  });
}

const controlEvent = (frontier: Frontier, type: ControlEventType, request: ControlRequest): EventDraft => ({
  type,
  run: frontier.run,
  atEpochMs: request.nowEpochMs,
  by: request.by,
  ...(request.reason === undefined ? {} : { reason: request.reason.toWellFormed() }),
});

function requireRoom(frontier: Frontier): void {
  if (frontier.controlEvents.length >= maxControlEvents) {
    throw new ConflictError({
      code: "too_many_control_moves",
      message: `Plan ${frontier.planId} was paused and resumed ${maxControlEvents} times without a decision becoming final in between. Let it run, or cancel it.`,
      details: { limit: maxControlEvents },
    });
  }
}

function phaseConflict(frontier: Frontier, wanted: string, allowed: string): ConflictError {
  const { phase } = frontier.state;
  return new ConflictError({
    code: "phase_conflict",
    message: `Run ${frontier.run} of plan ${frontier.planId} is ${phase}; it can be ${wanted} only while it is ${allowed}.`,
    details: { phase, run: frontier.run },
  });
}
