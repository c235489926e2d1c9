import type { Frontier } from "./frontier.ts";
import type { Phase } from "./phase.ts";
import { phaseOf } from "./phase-of.ts";

/** A phase that a run came to. `sequence` counts the changes of its plan from 1, over all runs and without gaps. */
export interface PhaseChange {
  readonly sequence: number;
  readonly phase: Phase;
  readonly atEpochMs: number;
  /** Decisions of the run that were final then, and their outcomes. */
  readonly position: number;
  readonly landed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * The outbox of a run, on its frontier and so written with the phase itself: the changes of before this phase that were not
 * told yet, oldest first, and the last one that was. The phase that the frontier shows is the last change; it is written down
 * by the move that leaves it. Only the runs of tenants to whom somebody listens have one.
 */
export interface PhaseOutbox {
  /** The sequence of the last change that is on its way to every listener. */
  readonly told: number;
  readonly changes: readonly PhaseChange[];
}

/** The outbox of a run's first frontier: its plan's changes go on behind those of the run before. */
export const openingOutbox = (toldBefore: number): PhaseOutbox => ({ told: toldBefore, changes: [] });

/** Every change that the outbox holds, that to the phase of now included; nothing where nobody listens. */
export const changesOf = (frontier: Frontier): readonly PhaseChange[] => {
  const { outbox } = frontier;
  if (outbox === undefined) return [];
  const phase = phaseOf(frontier);
  const last = outbox.changes.at(-1);
  if (last?.phase === phase) return outbox.changes;
  const { position, counts, movedAtEpochMs: atEpochMs } = frontier;
  const { landed, failed, skipped } = counts;
  const sequence = (last?.sequence ?? outbox.told) + 1;
  return [...outbox.changes, { sequence, phase, atEpochMs, position, landed, failed, skipped }];
};

export const untoldChanges = (frontier: Frontier): readonly PhaseChange[] =>
  changesOf(frontier).filter(({ sequence }) => sequence > (frontier.outbox?.told ?? 0));

/** Whether the move that wrote this frontier brought its run into another phase. */
export const bringsPhase = (frontier: Frontier): boolean =>
  changesOf(frontier).length > (frontier.outbox?.changes.length ?? 0);

/** The outbox for the next frontier: with the phase that this one shows, without what was told. */
export const outboxAfter = (frontier: Frontier): PhaseOutbox | undefined => {
  const { outbox } = frontier;
  if (outbox === undefined) return undefined;
  const changes = changesOf(frontier);
  const last = changes.at(-1);
  return { ...outbox, changes: changes.filter((change) => change === last || change.sequence > outbox.told) };
};

/** The sequence of the last change; 0 where none was counted. */
export const lastSequence = (frontier: Frontier): number => changesOf(frontier).at(-1)?.sequence ?? 0;

/** Nothing moves it on by itself: whoever tells its phases may write it without being in a worker's way. */
export const isAtRest = ({ state }: Frontier): boolean => "digest" in state || state.phase === "paused";

/** Whether somebody must look at a run at rest, apart from its outbox: an apply is due or under way. */
export const hasApplyDue = ({ autoApply, disposition }: Frontier): boolean =>
  autoApply === true || disposition?.apply !== undefined;

/** A run at rest whose changes up to `sequence` are on their way; nobody looks after it any more, unless something else is due. */
export const toldUpTo = (frontier: Frontier, sequence: number): Frontier => {
  const { nextCheckEpochSeconds, ...rest } = frontier;
  const changes = changesOf(frontier);
  const last = changes.at(-1);
  const outbox: PhaseOutbox = {
    told: sequence,
    changes: changes.filter((change) => change === last || change.sequence > sequence),
  };
  const isDone = !hasApplyDue(frontier) && (last?.sequence ?? 0) <= sequence;
  return {
    ...rest,
    revision: frontier.revision + 1,
    units: { ...frontier.units, frontierMoves: frontier.units.frontierMoves + 1 },
    outbox,
    ...(isDone || nextCheckEpochSeconds === undefined ? {} : { nextCheckEpochSeconds }),
  };
};
