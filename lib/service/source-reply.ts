import type { SourceReply, SourceRunReply } from "../api/source-requests.ts";
import { isRunning } from "../source/source-moves.ts";
import type { SourceRun } from "../source/source-run.ts";
import type { SyncSource } from "../source/sync-source.ts";

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

/** A sync source as the API tells it. */
export const sourceReplyOf = (source: SyncSource, nowEpochMs: number): SourceReply => {
  const { name, from, rules, everyMinutes, paused, savedBy, requested, failures } = source;
  const { lease, lastRun, nextAtEpochMs } = source;
  return {
    ...{ name, from },
    ...rules,
    ...{ everyMinutes, paused, savedBy, requested, failures },
    savedAt: iso(source.savedAtEpochMs),
    ...(lease === undefined || !isRunning(source, nowEpochMs)
      ? {}
      : { running: { run: lease.run, startedAt: iso(lease.startedAtEpochMs), stopping: lease.stop } }),
    ...(nextAtEpochMs === undefined ? {} : { nextRunAt: iso(nextAtEpochMs) }),
    ...(lastRun === undefined ? {} : { lastRun: lastRunReply(lastRun) }),
  };
};

const lastRunReply = (lastRun: NonNullable<SyncSource["lastRun"]>): NonNullable<SourceReply["lastRun"]> => {
  const { run, outcome, endedAtEpochMs, message } = lastRun;
  return { run, outcome, endedAt: iso(endedAtEpochMs), ...(message === undefined ? {} : { message }) };
};

export const sourceRunReplyOf = (run: SourceRun): SourceRunReply => {
  const { startedAtEpochMs, endedAtEpochMs, ...rest } = run;
  return { ...rest, startedAt: iso(startedAtEpochMs), endedAt: iso(endedAtEpochMs) };
};
