import type { Log } from "../log/log.ts";
import { guardedClient } from "../outbound/guarded-client.ts";
import type { Timer } from "../run/clock.ts";
import type { TimedKey } from "../schedule/timed-record.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import type { SourceBases } from "../source/source-bases.ts";
import type { RunTicket } from "../source/source-moves.ts";
import { keptSummary } from "../source/source-run.ts";
import type { SyncSource } from "../source/sync-source.ts";
import { SyncSummary } from "../sync/sync-summary.ts";
import { redaction } from "../tools/external/redaction.ts";
import { completedRun, endedBy } from "./how-run-ended.ts";
import { type EndedRun, type LeasePorts, leasedRun } from "./leased-run.ts";
import { type OpenSidePorts, openSourceSide, sourceToken } from "./open-source-side.ts";
import type { ProjectPorts } from "./projects.ts";
import { runWatch } from "./run-watch.ts";
import { syncFromSide } from "./sync-from-side.ts";

export interface RunSourcePorts extends ProjectPorts, LeasePorts, Omit<OpenSidePorts, "delay"> {
  readonly bases: SourceBases;
  readonly secrets: SecretStore;
  readonly timer: Timer;
  readonly log: Log;
}

/** One run of a sync source, if one is due (`leasedRun`). Nothing is thrown for what the other side does. */
export const runSource = (
  ports: RunSourcePorts,
  order: { readonly key: TimedKey; readonly remainingMs: () => number },
): ReturnType<typeof leasedRun> =>
  leasedRun(ports, order, (source, ticket) => performed(ports, { ...order, source, ticket }));

const performed = async (
  ports: RunSourcePorts,
  order: {
    readonly key: TimedKey;
    readonly source: SyncSource;
    readonly ticket: RunTicket;
    readonly remainingMs: () => number;
  },
): Promise<EndedRun | "lost"> => {
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
      return completedRun({ unchanged: true, summary: empty, seen: source.seen });
    }
    const settled = await syncFromSide(ports, { source, side: opened.side, bases, watch, progress });
    return completedRun({ unchanged: false, summary: summary(), seen: settled ? opened.seen : undefined });
  } catch (thrown) {
    return endedBy(ports.log, {
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

/** Read once: the run itself is the only one that changes them. */
const loadedBases = async (store: ReturnType<SourceBases["of"]>) => {
  const loaded = await store.load();
  return { load: async () => loaded, save: store.save };
};
