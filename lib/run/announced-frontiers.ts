import { faultFields } from "../log/fault-fields.ts";
import type { Log } from "../log/log.ts";
import type { Frontier } from "./frontier.ts";
import { nextCheck } from "./next-check.ts";
import { bringsPhase, isAtRest, lastSequence, openingOutbox, untoldChanges } from "./phase-change.ts";
import type { FrontierStore, HintQueue, RunKey } from "./run-store.ts";
import { hintOf } from "./watch-hint.ts";

export interface AnnouncePorts {
  /** Whether anybody wants to be told of this tenant's phases, as of now. */
  readonly listens: (tenant: string) => Promise<boolean>;
  /** "Tell what this run's outbox holds": hints, never facts. */
  readonly phaseHints: HintQueue;
  readonly log: Log;
}

/** After these nothing has changed about the phase. */
const phaselessEvents: ReadonlySet<string> = new Set([
  "changeset_approved",
  "changeset_rejected",
  "runtime_execute_resumed",
]);

/**
 * A store that gives runs an outbox where somebody listens (asked once a run, and again when a run without one comes to
 * rest), and sends a hint after each write that brings another phase. A hint that is lost is sent by the reconciler: runs at
 * rest stay in its index until their outbox is empty.
 */
export const announcedFrontiers = <Store extends FrontierStore>(
  frontiers: Store,
  ports: AnnouncePorts,
): Store => ({
  ...frontiers,

  async create(run, options) {
    if (!(await ports.listens(run.tenant))) return frontiers.create(run, options);
    const made = await frontiers.create(run, { toldBefore: await lastCounted(run, frontiers) });
    if (bringsPhase(made.frontier) && made.frontier.state.phase === "submitted") {
      await sendHint(made.frontier, ports);
    }
    return made;
  },

  async move(next) {
    const listened =
      next.outbox === undefined && isAtRest(next) ? await withOutbox(next, { ...ports, frontiers }) : next;
    const watched = watchedUntilTold(listened);
    const hasMoved = await frontiers.move(watched);
    if (hasMoved && bringsPhase(watched)) await sendHint(watched, ports);
    return hasMoved;
  },
});

const withOutbox = async (
  next: Frontier,
  { listens, frontiers }: AnnouncePorts & { readonly frontiers: Pick<FrontierStore, "read"> },
): Promise<Frontier> => {
  if (phaselessEvents.has(next.controlEvents.at(-1)?.type ?? "") || !(await listens(next.tenant)))
    return next;
  return { ...next, outbox: openingOutbox(await lastCounted(next, frontiers)) };
};

/** The sequence at which the runs before one stopped. Nobody may have listened to the last of them, but to earlier ones. */
const lastCounted = async (key: RunKey, frontiers: Pick<FrontierStore, "read">): Promise<number> => {
  for (let run = key.run - 1; run >= 1; run -= 1) {
    const before = await frontiers.read({ tenant: key.tenant, planId: key.planId, run });
    if (before?.outbox !== undefined) return lastSequence(before);
  }
  return 0;
};

const watchedUntilTold = (next: Frontier): Frontier =>
  isAtRest(next) && next.nextCheckEpochSeconds === undefined && untoldChanges(next).length > 0
    ? { ...next, nextCheckEpochSeconds: nextCheck(undefined, next.movedAtEpochMs) }
    : next;

const sendHint = async (frontier: Frontier, { phaseHints, log }: AnnouncePorts): Promise<void> => {
  try {
    await phaseHints.send(hintOf(frontier));
  } catch (fault) {
    const { tenant, planId, run } = frontier;
    log.write({ level: "warn", event: "phase_hint_not_sent", tenant, planId, run, ...faultFields(fault) });
  }
};
