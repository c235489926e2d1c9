import type { Clock } from "./clock.ts";
import { isEnded } from "./ended-run.ts";
import type { Frontier } from "./frontier.ts";
import { moved, unwatched } from "./frontier-move.ts";
import { hasApplyDue, isAtRest, untoldChanges } from "./phase-change.ts";
import type { FrontierStore, HintQueue, OpenRuns, RunKey } from "./run-store.ts";
import { hintOf } from "./watch-hint.ts";

const pageSize = 100;

/**
 * Sends the hints that got lost: to every open run, every one with an apply that is due or under way, and every one with an
 * outbox that was not told, whose next check is due by `dueByEpochSeconds` (now, for the schedule; any late time at the start
 * of the embedded service, whose queue may have been in memory), and puts its next check off, so that the next round leaves
 * it alone. Returns how many hints it sent.
 */
export async function reconcileRuns(
  { dueByEpochSeconds }: { readonly dueByEpochSeconds: number },
  ports: {
    readonly frontiers: FrontierStore;
    readonly openRuns: OpenRuns;
    readonly hints: HintQueue;
    /** For runs that have ended: an apply is due or under way. */
    readonly applies: HintQueue;
    /** For runs whose phases nobody was told of yet. */
    readonly phaseHints: HintQueue;
    readonly clock: Clock;
  },
): Promise<{ readonly hints: number }> {
  const due = await dueRuns(dueByEpochSeconds, ports.openRuns);
  let hints = 0;
  for (const key of due) {
    const frontier = await ports.frontiers.read(key);
    if (frontier?.nextCheckEpochSeconds === undefined || frontier.nextCheckEpochSeconds > dueByEpochSeconds) {
      continue;
    }
    const queues = queuesFor(frontier, ports);
    for (const queue of queues) {
      await queue.send(hintOf(frontier));
      hints += 1;
    }
    const later = checkedLater(frontier, ports.clock.now());
    // Losing this race means that the run moves by itself.
    await ports.frontiers.move(queues.length === 0 ? unwatched(later) : later);
  }
  return { hints };
}

function queuesFor(
  frontier: Frontier,
  {
    hints,
    applies,
    phaseHints,
  }: { readonly hints: HintQueue; readonly applies: HintQueue; readonly phaseHints: HintQueue },
): readonly HintQueue[] {
  const isUntold = untoldChanges(frontier).length > 0;
  return [
    ...(isAtRest(frontier) ? [] : [hints]),
    ...(isEnded(frontier) && hasApplyDue(frontier) ? [applies] : []),
    ...(isUntold ? [phaseHints] : []),
  ];
}

function checkedLater(frontier: Frontier, nowEpochMs: number): Frontier {
  const { nextCheckEpochSeconds: _, ...rest } = frontier;
  // Nothing of the run moved: whoever watches for signs of life must not see one.
  return { ...moved(rest, nowEpochMs), movedAtEpochMs: frontier.movedAtEpochMs };
}

/** All keys first: runs that are put off would shift the pages under the reader. */
async function dueRuns(nowEpochSeconds: number, openRuns: OpenRuns): Promise<readonly RunKey[]> {
  const keys: RunKey[] = [];
  let cursor: string | undefined;
  do {
    const page = await openRuns.due({
      nowEpochSeconds,
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    });
    keys.push(...page.runs);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return keys;
}
