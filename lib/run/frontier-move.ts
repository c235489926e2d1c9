import { noDisposition } from "./disposition.ts";
import type { Frontier, FrontierState, Signature } from "./frontier.ts";
import type { HeadStatement } from "./head-statement.ts";
import { chainEvent, type EventDraft, ledgerEndAfter } from "./ledger-chain.ts";
import { nextCheck } from "./next-check.ts";
import { outboxAfter } from "./phase-change.ts";
import type { SealStatement } from "./seal-statement.ts";

/** What every transition of a frontier does besides its own change: the next revision, and when it happened. */
export function moved(frontier: Frontier, nowEpochMs: number): Frontier {
  const outbox = outboxAfter(frontier);
  return {
    ...frontier,
    ...(outbox === undefined ? {} : { outbox }),
    revision: frontier.revision + 1,
    movedAtEpochMs: nowEpochMs,
    units: { ...frontier.units, frontierMoves: frontier.units.frontierMoves + 1 },
    nextCheckEpochSeconds: nextCheck(frontier.nextCheckEpochSeconds, nowEpochMs),
  };
}

/** A frontier that nobody needs to look at until somebody asks for something: ended, or paused. */
export function unwatched(frontier: Frontier): Frontier {
  const { nextCheckEpochSeconds: _, ...rest } = frontier;
  return rest;
}

/**
 * Appends an event that belongs to no decision, numbered and chained; the next step takes it in. The epoch goes up, since
 * a step that was written before under the same position does not hold the event and must not be adopted any more.
 */
export function withControlEvent(frontier: Frontier, draft: EventDraft): Frontier {
  const event = chainEvent(frontier, draft);
  return {
    ...frontier,
    ...ledgerEndAfter(event),
    epoch: frontier.epoch + 1,
    controlEvents: [...frontier.controlEvents, event],
  };
}

/** A move of an ended run's frontier, and the statement over the ledger's new head that must be signed for it first. */
export interface HeadMove {
  readonly statement: HeadStatement;
  signed(signature: Signature): Frontier;
}

/** Appends an event to the ledger of an ended run. `frontier` is the state after it otherwise. */
export function withSignedEvent(frontier: Frontier, draft: EventDraft): HeadMove {
  const next = withControlEvent(frontier, draft);
  const { planId, lastSeq: seq, ledgerHead } = next;
  const disposition = next.disposition ?? noDisposition;
  return {
    statement: { planId, seq, ledgerHead },
    signed: (signature) => ({
      ...next,
      disposition: { ...disposition, heads: [...disposition.heads, { seq, ledgerHead, signature }] },
    }),
  };
}

/** The move that ends a run, and the statement that must be signed for it first. */
export interface Sealing {
  readonly statement: SealStatement;
  signed(signature: Signature): Frontier;
}

type EndPhase = Extract<FrontierState, { readonly digest: string }>["phase"];

/**
 * Ends a run under its chain head. `frontier` is the state after the last event; nothing is left under way. One that an apply
 * follows stays watched until that has begun.
 */
export function sealing(frontier: Frontier, phase: EndPhase, endedAtEpochMs: number): Sealing {
  const { intent: _, suspect: __, waitingFor: ___, release: ____, autoApply, ...ended } = frontier;
  const applies = autoApply === true && phase === "completed";
  const rest: Frontier = applies ? { ...ended, autoApply } : unwatched(ended);
  const { planId, run, chainHead: digest, lastSeq: seq, ledgerHead } = frontier;
  return {
    statement: { planId, run, digest, seq, ledgerHead },
    signed: (signature) => ({ ...rest, state: { phase, digest, signature, sealedSeq: seq, endedAtEpochMs } }),
  };
}
