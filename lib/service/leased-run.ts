import type { Clock } from "../run/clock.ts";
import { isDeleted, type TimedKey } from "../schedule/timed-record.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";
import { claimedSource, finishedSource, type RunEnd, type RunTicket } from "../source/source-moves.ts";
import type { SourceRun } from "../source/source-run.ts";
import type { SourceRunStore } from "../source/source-run-store.ts";
import type { SyncSource } from "../source/sync-source.ts";

export interface LeasePorts {
  readonly sources: TimedRecordStore<SyncSource>;
  readonly runs: SourceRunStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/** What a lease lasts beyond the time that the function has: it is dead by then. */
const leaseMarginMs = 15_000;
/** A run is not begun with less. */
const leastRunMs = 30_000;

export type RunOutcome = SourceRun extends infer Run
  ? Run extends SourceRun
    ? Omit<Run, "run" | "startedAtEpochMs" | "endedAtEpochMs">
    : never
  : never;
/** How a run ended: for the source, and for the record. */
export interface EndedRun {
  readonly end: RunEnd;
  readonly outcome: RunOutcome;
}

/**
 * One run of a sync source, if one is due: claims it by a conditional write, so that no two run at once; has it performed;
 * records how it ended; and gives the lease back. Killed anywhere, the lease runs out, and the next run goes on. `lost`: by the
 * end the lease was another's, who has recorded that this run was killed. `undefined`: there was nothing to do.
 */
export const leasedRun = async (
  ports: LeasePorts,
  order: { readonly key: TimedKey; readonly remainingMs: () => number },
  perform: (source: SyncSource, ticket: RunTicket) => Promise<EndedRun | "lost">,
): Promise<SourceRun["outcome"] | "lost" | undefined> => {
  // Told that its time is over already, as when the service is being stopped.
  if (order.remainingMs() <= leastRunMs) return undefined;
  const source = await claim(ports, order);
  if (source?.lease === undefined) return undefined;
  const { sourceId, run, startedAtEpochMs } = source.lease;
  const ticket = { sourceId, run };
  const ended = await perform(source, ticket);
  if (ended === "lost") return "lost";
  const { end, outcome } = ended;
  await ports.runs.record(
    { tenant: source.tenant, sourceId },
    { ...{ run, startedAtEpochMs, endedAtEpochMs: ports.clock.now() }, ...outcome },
  );
  await finish(ports, order.key, { ticket, end: { ...end, ...messageOf(outcome) } });
  return outcome.outcome;
};

/** Whoever writes at the same moment, such as the tick that sent word, does not make this word one for nothing. */
const claim = async (
  { sources, clock }: LeasePorts,
  { key, remainingMs }: { readonly key: TimedKey; readonly remainingMs: () => number },
): Promise<SyncSource | undefined> => {
  for (;;) {
    const standing = await sources.get(key);
    if (standing === undefined || isDeleted(standing)) return undefined;
    const nowEpochMs = clock.now();
    const untilEpochMs = nowEpochMs + remainingMs() + leaseMarginMs;
    const claimed = claimedSource(standing, { nowEpochMs, untilEpochMs });
    if (claimed === undefined) return undefined;
    if (await sources.put(claimed)) return claimed;
  }
};

const messageOf = (outcome: RunOutcome): { readonly message?: string } => {
  if (outcome.outcome === "failed") return { message: outcome.problem.message };
  return "message" in outcome ? { message: outcome.message } : {};
};

/** Whoever saved or paused the source meanwhile is not in the way; whoever took the lease is. */
const finish = async (
  { sources, clock, random }: LeasePorts,
  key: TimedKey,
  { ticket, end }: { readonly ticket: RunTicket; readonly end: RunEnd & { readonly message?: string } },
): Promise<void> => {
  for (;;) {
    const standing = await sources.get(key);
    if (standing === undefined || isDeleted(standing)) return;
    const next = finishedSource(standing, ticket, { ...end, nowEpochMs: clock.now(), random: random() });
    if (next === undefined || (await sources.put(next))) return;
  }
};
