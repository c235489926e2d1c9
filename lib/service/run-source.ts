import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import { faultFields } from "../log/fault-fields.ts";
import type { Log } from "../log/log.ts";
import { guardedClient } from "../outbound/guarded-client.ts";
import type { Timer } from "../run/clock.ts";
import { isDeleted, type TimedKey } from "../schedule/timed-record.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import { type SourceBases, SourceFenceLost } from "../source/source-bases.ts";
import { claimedSource, finishedSource, type RunEnd, type RunTicket } from "../source/source-moves.ts";
import { keptSummary, type SourceRun } from "../source/source-run.ts";
import type { SourceRunStore } from "../source/source-run-store.ts";
import type { SeenCatalogue, SyncSource } from "../source/sync-source.ts";
import { SyncSummary } from "../sync/sync-summary.ts";
import { redaction } from "../tools/external/redaction.ts";
import { type OpenSidePorts, openSourceSide, sourceToken } from "./open-source-side.ts";
import type { ProjectPorts } from "./projects.ts";
import { RunEnded, runWatch } from "./run-watch.ts";
import { syncFromSide } from "./sync-from-side.ts";

export interface RunSourcePorts extends ProjectPorts, Omit<OpenSidePorts, "delay"> {
  readonly sources: TimedRecordStore<SyncSource>;
  readonly runs: SourceRunStore;
  readonly bases: SourceBases;
  readonly secrets: SecretStore;
  readonly timer: Timer;
  readonly log: Log;
}

/** What a lease lasts beyond the time that the function has: it is dead by then. */
const leaseMarginMs = 15_000;
/** A run is not begun with less. */
const leastRunMs = 30_000;

/**
 * One run of a sync source, if one is due: claims it by a conditional write, so that no two run at once; syncs; records how it
 * ended; and gives the lease back. Killed anywhere, the lease runs out, and the next run goes on. Nothing is thrown for what the
 * other side does. Answers how the run ended, or `undefined` when there was none.
 */
export const runSource = async (
  ports: RunSourcePorts,
  order: { readonly key: TimedKey; readonly remainingMs: () => number },
): Promise<SourceRun["outcome"] | "lost" | undefined> => {
  // Told that its time is over already, as when the service is being stopped.
  if (order.remainingMs() <= leastRunMs) return undefined;
  const source = await claim(ports, order);
  if (source?.lease === undefined) return undefined;
  const { sourceId, run, startedAtEpochMs } = source.lease;
  const place = { tenant: source.tenant, sourceId };
  const ended = await performed(ports, { ...order, source, ticket: { sourceId, run } });
  if (ended === "lost") return "lost";
  const { end, outcome } = ended;
  const message = messageOf(outcome);
  await ports.runs.record(place, {
    ...{ run, startedAtEpochMs, endedAtEpochMs: ports.clock.now() },
    ...outcome,
  });
  await finish(ports, order.key, { ticket: { sourceId, run }, end: { ...end, ...message } });
  return outcome.outcome;
};

const claim = async (
  { sources, clock }: RunSourcePorts,
  { key, remainingMs }: { readonly key: TimedKey; readonly remainingMs: () => number },
): Promise<SyncSource | undefined> => {
  const standing = await sources.get(key);
  if (standing === undefined || isDeleted(standing)) return undefined;
  const nowEpochMs = clock.now();
  const untilEpochMs = nowEpochMs + remainingMs() + leaseMarginMs;
  const claimed = claimedSource(standing, { nowEpochMs, untilEpochMs });
  return claimed !== undefined && (await sources.put(claimed)) ? claimed : undefined;
};

type Outcome = SourceRun extends infer Run
  ? Run extends SourceRun
    ? Omit<Run, "run" | "startedAtEpochMs" | "endedAtEpochMs">
    : never
  : never;
interface Ended {
  readonly end: RunEnd;
  readonly outcome: Outcome;
}

const performed = async (
  ports: RunSourcePorts,
  order: {
    readonly key: TimedKey;
    readonly source: SyncSource;
    readonly ticket: RunTicket;
    readonly remainingMs: () => number;
  },
): Promise<Ended | "lost"> => {
  const { source, ticket } = order;
  const watch = runWatch(ports, order);
  const client = guardedClient(ports.outbound);
  const progress = { requests: 0, moved: 0, summary: () => new SyncSummary() };
  let redact = (text: string): string => text;
  const summary = () =>
    keptSummary(new SyncSummary({ ...progress.summary().toJSON(), requests: progress.requests }), redact);
  try {
    const token = await sourceToken(ports.secrets, source);
    if (token !== undefined) redact = redaction([token]).text;
    const bases = await loadedBases(
      ports.bases.of({ tenant: source.tenant, sourceId: ticket.sourceId }, ticket.run),
    );
    const opened = await openSourceSide(
      { ...ports, delay: watch.delay },
      {
        ...{ source, token, client, bases },
        documents: ports.bases,
        ending: watch.ending,
        onRequest() {
          watch.check();
          progress.requests += 1;
        },
        onRemembered(documents) {
          progress.moved += documents;
        },
      },
    );
    if (opened.kind === "unchanged") {
      const empty = keptSummary(
        new SyncSummary({ requests: progress.requests, dryRun: source.rules.dryRun }),
        redact,
      );
      return completed({ unchanged: true, summary: empty, seen: source.seen });
    }
    const settled = await syncFromSide(ports, { source, side: opened.side, bases, watch, progress });
    return completed({ unchanged: false, summary: summary(), seen: settled ? opened.seen : undefined });
  } catch (thrown) {
    return endedBy(ports, {
      ...order,
      error: watch.reasonOf(thrown),
      summary: summary(),
      redact,
      moved: progress.moved,
    });
  } finally {
    watch.end();
    client.close();
  }
};

const completed = (done: {
  readonly unchanged: boolean;
  readonly summary: ReturnType<typeof keptSummary>;
  readonly seen: SeenCatalogue | undefined;
}): Ended => ({
  end: { kind: "completed", seen: done.seen },
  outcome: { outcome: "completed", unchanged: done.unchanged, summary: done.summary },
});

const endedBy = (
  ports: RunSourcePorts,
  how: {
    readonly source: SyncSource;
    readonly error: unknown;
    readonly summary: ReturnType<typeof keptSummary>;
    readonly redact: (text: string) => string;
    readonly moved: number;
  },
): Ended | "lost" => {
  const { error, summary, source } = how;
  if (error instanceof SourceFenceLost) return "lost";
  if (error instanceof RunEnded) {
    switch (error.because) {
      case "lost":
        return "lost";
      case "stop": {
        const message = "The source was changed or deleted while it ran. What was done stays done.";
        return { end: { kind: "stopped" }, outcome: { outcome: "stopped", message, summary } };
      }
      case "out_of_time": {
        const message = `The time of a run was over after ${how.moved} steps. What was done stays done; the next run goes on at once.`;
        return {
          end: { kind: "unfinished", progress: how.moved > 0 },
          outcome: { outcome: "unfinished", message, summary },
        };
      }
      default:
        return error.because satisfies never;
    }
  }
  const known = error instanceof PlanledgerError;
  const { tenant, name } = source;
  ports.log.write({
    level: known ? "warn" : "error",
    event: "sync_source_failed",
    ...{ tenant, schedule: `sources/${name}` },
    ...(known ? { code: error.code } : faultFields(error)),
  });
  const problem = known
    ? {
        code: error.code,
        message: how.redact(error.message).slice(0, 1000),
        ...(error instanceof ValidationError ? { field: error.field } : {}),
      }
    : { code: "internal", message: "The service failed; its log tells why." };
  return { end: { kind: "failed" }, outcome: { outcome: "failed", problem, summary } };
};

const messageOf = (outcome: Outcome): { readonly message?: string } => {
  if (outcome.outcome === "failed") return { message: outcome.problem.message };
  return "message" in outcome ? { message: outcome.message } : {};
};

/** Read once: the run itself is the only one that changes them. */
const loadedBases = async (store: ReturnType<SourceBases["of"]>) => {
  const loaded = await store.load();
  return { load: async () => loaded, save: store.save };
};

/** Whoever saved or paused the source meanwhile is not in the way; whoever took the lease is. */
const finish = async (
  { sources, clock, random }: RunSourcePorts,
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
