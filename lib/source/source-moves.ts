import { type DeletedRecord, isDeleted } from "../schedule/timed-record.ts";
import type { SeenCatalogue, SourceLease, SyncSource } from "./sync-source.ts";

/** What somebody saves: everything that a source says. */
export type SourceOrder = Pick<
  SyncSource,
  "tenant" | "name" | "from" | "rules" | "everyMinutes" | "savedBy" | "paused"
>;

/** A message for the worker that is not taken up for this long counts as lost. */
const messageMs = 2 * 60_000;
const firstBackoffMs = 60_000;
const longestBackoffMs = 6 * 60 * 60_000;

/**
 * The source after a save: due at once. A run under way is told to end first. What was agreed on with the same place before is
 * still known; for another place `newSourceId` begins anew.
 */
export function savedSource(
  standing: SyncSource | DeletedRecord | undefined,
  order: SourceOrder,
  now: { readonly nowEpochMs: number; readonly newSourceId: string },
): SyncSource {
  const { nowEpochMs, newSourceId } = now;
  const live = standing === undefined || isDeleted(standing) ? undefined : standing;
  const samePlace = live?.from.kind === order.from.kind && live.from.url === order.from.url;
  const kept = samePlace
    ? { sourceId: live.sourceId, runs: live.runs, lease: stopping(live.lease), lastRun: live.lastRun }
    : { sourceId: newSourceId, runs: 0, lease: stopping(live?.lease) };
  return looking({
    ...order,
    ...kept,
    v: 1,
    revision: (standing?.revision ?? 0) + 1,
    savedAtEpochMs: nowEpochMs,
    requested: false,
    failures: 0,
    nextAtEpochMs: order.paused ? undefined : nowEpochMs,
  });
}

const stopping = (lease: SourceLease | undefined): SourceLease | undefined =>
  lease === undefined ? undefined : { ...lease, stop: true };

/** A pause tells a run under way to end. Its end is due at once. */
export function pausedSource(source: SyncSource, paused: boolean, nowEpochMs: number): SyncSource {
  if (source.paused === paused) return source;
  return looking({
    ...source,
    revision: source.revision + 1,
    paused,
    requested: false,
    lease: paused ? stopping(source.lease) : source.lease,
    nextAtEpochMs: paused ? undefined : nowEpochMs,
  });
}

/** Somebody wants a run now. */
export const requestedSource = (source: SyncSource): SyncSource =>
  looking({ ...source, revision: source.revision + 1, requested: true, sentUntilEpochMs: undefined });

export const isRunning = ({ lease }: SyncSource, nowEpochMs: number): boolean =>
  lease !== undefined && lease.untilEpochMs > nowEpochMs;

const isDue = ({ requested, nextAtEpochMs }: SyncSource, nowEpochMs: number): boolean =>
  requested || (nextAtEpochMs !== undefined && nextAtEpochMs <= nowEpochMs);

/** What a tick is to do about a source. */
export type SourceLook =
  | { readonly kind: "nothing" }
  /** Send a message to the worker, then write the source as it is here. */
  | { readonly kind: "send"; readonly source: SyncSource }
  /** Record that this run was killed, then write the source as it is here. */
  | { readonly kind: "expire"; readonly source: SyncSource; readonly lease: SourceLease };

export function lookAtSource(
  source: SyncSource,
  now: { readonly nowEpochMs: number; readonly random: number },
): SourceLook {
  const { nowEpochMs, random } = now;
  const { lease, revision } = source;
  if (lease !== undefined) {
    if (isRunning(source, nowEpochMs)) return { kind: "nothing" };
    const failures = source.failures + 1;
    const expired: SyncSource = {
      ...source,
      ...{ revision: revision + 1, lease: undefined, sentUntilEpochMs: undefined },
      lastRun: { run: lease.run, outcome: "killed", endedAtEpochMs: nowEpochMs },
      // A source that was saved meanwhile is due since then.
      ...(lease.stop
        ? {}
        : { failures, nextAtEpochMs: afterFailure(source, { failures, nowEpochMs, random }) }),
    };
    return { kind: "expire", lease, source: looking(expired) };
  }
  if (!isDue(source, nowEpochMs)) return { kind: "nothing" };
  if (source.sentUntilEpochMs !== undefined && source.sentUntilEpochMs > nowEpochMs) {
    return { kind: "nothing" };
  }
  const sent = { ...source, revision: revision + 1, sentUntilEpochMs: nowEpochMs + messageMs };
  return { kind: "send", source: looking(sent) };
}

/**
 * The source with the lease of its next run, whose number is `runs`; nothing where none is due, or one is under way or was
 * killed and is not recorded as such yet.
 */
export function claimedSource(
  source: SyncSource,
  lease: { readonly nowEpochMs: number; readonly untilEpochMs: number },
): SyncSource | undefined {
  if (source.lease !== undefined || !isDue(source, lease.nowEpochMs)) return undefined;
  return looking({
    ...source,
    revision: source.revision + 1,
    runs: source.runs + 1,
    requested: false,
    sentUntilEpochMs: undefined,
    lease: {
      sourceId: source.sourceId,
      run: source.runs + 1,
      startedAtEpochMs: lease.nowEpochMs,
      untilEpochMs: lease.untilEpochMs,
      stop: false,
    },
  });
}

/** Which run of which place somebody carries out. */
export type RunTicket = Pick<SourceLease, "sourceId" | "run">;

/** `stop`: the run is to end, since the source was changed or deleted. `lost`: the lease is another's, or nobody's, by now. */
export function standingOf(
  source: SyncSource | DeletedRecord | undefined,
  ticket: RunTicket,
  nowEpochMs: number,
): "held" | "stop" | "lost" {
  if (source === undefined || isDeleted(source)) return "stop";
  if (!holds(source, ticket)) return "lost";
  if (source.lease?.stop === true) return "stop";
  return isRunning(source, nowEpochMs) ? "held" : "lost";
}

const holds = ({ lease }: SyncSource, { sourceId, run }: RunTicket): boolean =>
  lease?.sourceId === sourceId && lease.run === run;

export type RunEnd =
  | { readonly kind: "completed"; readonly seen: SeenCatalogue | undefined }
  /** Its time was over; with `progress`, the next one goes on at once. */
  | { readonly kind: "unfinished"; readonly progress: boolean }
  | { readonly kind: "failed" }
  | { readonly kind: "stopped" };

/** The source after the end of this run, its lease given back; nothing where it does not hold the lease any more. */
export function finishedSource(
  source: SyncSource,
  ticket: RunTicket,
  end: RunEnd & { readonly nowEpochMs: number; readonly random: number; readonly message?: string },
): SyncSource | undefined {
  if (!holds(source, ticket)) return undefined;
  const { kind: outcome, message, nowEpochMs: endedAtEpochMs } = end;
  const released: SyncSource = {
    ...source,
    revision: source.revision + 1,
    lease: undefined,
    lastRun: { run: ticket.run, outcome, endedAtEpochMs, ...(message === undefined ? {} : { message }) },
  };
  // It was saved or paused under the run: when it is due stands there since.
  return looking(source.lease?.stop === true ? released : { ...released, ...after(source, end) });
}

function after(
  source: SyncSource,
  end: RunEnd & { readonly nowEpochMs: number; readonly random: number },
): Pick<SyncSource, "failures" | "nextAtEpochMs" | "seen"> {
  const { nowEpochMs } = end;
  const due = (atEpochMs: number) => (source.paused ? undefined : atEpochMs);
  switch (end.kind) {
    case "completed":
      return { failures: 0, seen: end.seen, nextAtEpochMs: due(nowEpochMs + source.everyMinutes * 60_000) };
    case "unfinished":
      if (end.progress) return { failures: 0, seen: undefined, nextAtEpochMs: due(nowEpochMs) };
      break;
    case "failed":
      break;
    case "stopped":
      return { failures: source.failures, seen: undefined, nextAtEpochMs: due(nowEpochMs) };
    default:
      return end satisfies never;
  }
  const failures = source.failures + 1;
  return { failures, seen: source.seen, nextAtEpochMs: afterFailure(source, { ...end, failures }) };
}

/** Doubles with each failure in a row, from a minute to six hours (or to the source's own interval, where that is longer), half of it random. */
function afterFailure(
  { everyMinutes, paused }: SyncSource,
  now: { readonly failures: number; readonly nowEpochMs: number; readonly random: number },
): number | undefined {
  if (paused) return undefined;
  const longestMs = Math.max(longestBackoffMs, everyMinutes * 60_000);
  const ceilingMs = Math.min(longestMs, firstBackoffMs * 2 ** (now.failures - 1));
  return now.nowEpochMs + Math.round(ceilingMs / 2 + (ceilingMs / 2) * now.random);
}

/** With the time of its next look: the lease's end, else when a message counts as lost, else when a run is due. */
function looking(source: SyncSource): SyncSource {
  const { lookAtEpochSeconds: _, ...rest } = source;
  const { lease, requested, nextAtEpochMs, sentUntilEpochMs } = source;
  const dueAtEpochMs = requested ? 0 : nextAtEpochMs;
  const lookAtEpochMs =
    lease?.untilEpochMs ??
    (dueAtEpochMs === undefined ? undefined : Math.max(dueAtEpochMs, sentUntilEpochMs ?? 0));
  return lookAtEpochMs === undefined
    ? rest
    : { ...rest, lookAtEpochSeconds: Math.ceil(lookAtEpochMs / 1000) };
}
