import { memoryContentStore } from "../content/memory-content-store.ts";
import { memoryContentTransfer } from "../content/memory-content-transfer.ts";
import { silentLog } from "../log/log.ts";
import { memoryResourceStore } from "../resource/memory-resource-store.ts";
import type { ResourceStore } from "../resource/resource-store.ts";
import { memoryTimedRecords } from "../schedule/memory-timed-records.ts";
import { memorySourceBases } from "../source/memory-source-bases.ts";
import { memorySourceRunStore } from "../source/memory-source-run-store.ts";
import { savedSource } from "../source/source-moves.ts";
import type { SourceRun } from "../source/source-run.ts";
import { keptSummary } from "../source/source-run.ts";
import type { SourceSide } from "../source/source-side.ts";
import type { SourceRules, SyncSource } from "../source/sync-source.ts";
import { type MemorySyncServer, memorySyncServer } from "../sync/memory-sync-server.testkit.ts";
import { parseSyncItem } from "../sync/sync-item.ts";
import { SyncSummary } from "../sync/sync-summary.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { completedRun, endedBy } from "./how-run-ended.ts";
import { leasedRun } from "./leased-run.ts";
import { lookAtDue } from "./look-at-due.ts";
import { lookAtDueSource } from "./look-at-source.ts";
import { runWatch } from "./run-watch.ts";
import type { SteppedProcess } from "./stepped-process.testkit.ts";
import { Killed } from "./stepped-process.testkit.ts";
import { syncFromSide } from "./sync-from-side.ts";

const key = { tenant: "acme", name: "upstream" };
export const runTimeMs = 300_000;

const rules: SourceRules = {
  scope: ["skills"],
  direction: "pull",
  policy: "manual",
  dryRun: false,
  prune: true,
  force: false,
  maxDelete: 100,
};

/** A tenant with one sync source, its place a model of a service; nobody but its runs writes in the tenant. */
export interface SourceWorld {
  readonly there: MemorySyncServer;
  /** Skills by id, as they stand here. */
  here(): Promise<Readonly<Record<string, string>>>;
  thereNow(): Readonly<Record<string, string>>;
  write(id: string, text: string, version?: string): void;
  remove(id: string): void;
  readonly clock: { now(): number; advance(byMs: number): void };
  /** Words to the worker that wait. */
  readonly words: number;
  source(): Promise<SyncSource>;
  runs(): Promise<readonly SourceRun[]>;
  /** A tick by one process. */
  tick(process: SteppedProcess): Promise<void>;
  /** The worker, on one word, by one process; how it ended, or that it was killed. */
  work(process: SteppedProcess): Promise<string>;
  /** Runs of which two held the lease at once. */
  readonly overlaps: readonly string[];
}

export async function sourceWorld(): Promise<SourceWorld> {
  let nowEpochMs = Date.UTC(2026, 10, 30, 10);
  let ids = 0;
  let words = 0;
  const clock = { now: () => nowEpochMs };
  const idSource = { ulid: () => `01ARZ3NDEKTSV4RR${String(++ids).padStart(10, "0")}` };
  const there = memorySyncServer({ pageRows: 3 });
  const records = memoryTimedRecords();
  const sources = records.store<SyncSource>("sources");
  const runs = memorySourceRunStore();
  const bases = memorySourceBases();
  const resources = memoryResourceStore();
  const content = memoryContentStore();
  const stores = { content, trees: memoryTreeStore(), transfer: memoryContentTransfer(content) };
  const queue = {
    async send() {
      words += 1;
    },
  };
  const timer = { after: () => ({ cancel() {} }) };
  const holders: { readonly run: number; readonly untilEpochMs: number; over: boolean }[] = [];
  const overlaps: string[] = [];

  await sources.put(
    savedSource(
      undefined,
      {
        ...key,
        from: { kind: "service", url: "https://planledger.example", token: "secret:TOKEN" },
        ...{ rules, everyMinutes: 15, savedBy: "ada", paused: false },
      },
      { nowEpochMs, newSourceId: idSource.ulid() },
    ),
  );

  const standing = async (): Promise<SyncSource> => {
    const source = await sources.get(key);
    if (source === undefined || !("from" in source)) throw new Error("the source is gone");
    return source;
  };

  return {
    there,
    overlaps,
    get words() {
      return words;
    },
    clock: {
      now: () => nowEpochMs,
      advance(byMs) {
        nowEpochMs += byMs;
      },
    },
    async here() {
      const { resources: rows } = await resources.list({ tenant: key.tenant, kind: "skills", limit: 1000 });
      const live = await Promise.all(
        rows
          .filter(({ deleted }) => !deleted)
          .map(({ tenant, kind, id }) => resources.get({ tenant, kind, id })),
      );
      return Object.fromEntries(live.map((record) => [record?.id, String(record?.body.instructions)]));
    },
    thereNow: () =>
      Object.fromEntries(
        there.keys.flatMap((one) => {
          const latest = there.history(one).at(-1);
          return latest === undefined || latest.row.deleted
            ? []
            : [[one.id, String(latest.item.instructions)] as const];
        }),
      ),
    write(id, text, version = "1") {
      const parsed = parseSyncItem({ id, name: id, version, metadata: {}, instructions: text });
      if (parsed.kind === "item") there.put("skills", parsed.item);
    },
    remove: (id) => void there.delete({ kind: "skills", id }),
    source: standing,
    runs: async () => runs.list({ tenant: key.tenant, sourceId: (await standing()).sourceId }),
    async tick(process) {
      const ports = {
        sources: process.ports(sources),
        runs: process.ports(runs),
        queue: process.ports(queue),
        ...{ clock, random: () => 0.5 },
      };
      await lookAtDue({
        due: process.ports(records),
        look: { schedules: async () => false, sources: (due) => lookAtDueSource(ports, due) },
        hasTime: () => true,
        ...{ clock, log: silentLog },
      });
    },
    async work(process) {
      words = Math.max(0, words - 1);
      const startedAtEpochMs = nowEpochMs;
      // A function's time is over when it says so; what it is given does not depend on the clock that jumps here.
      const remainingMs = () => Math.max(runTimeMs - (nowEpochMs - startedAtEpochMs), 0);
      const side: SourceSide = {
        transport: process.ports(there),
        trees: { directory: async () => ({ entries: [] }), content: async () => new Uint8Array() },
        faults: [],
      };
      const ports = {
        sources: process.ports(sources),
        runs: process.ports(runs),
        resources: process.ports<ResourceStore>(resources),
        storesOf: () => stores,
        ...{ clock, timer, ids: idSource, random: () => 0.5 },
      };
      try {
        const outcome = await leasedRun(ports, { key, remainingMs }, async (source, ticket) => {
          const untilEpochMs = source.lease?.untilEpochMs ?? 0;
          for (const other of holders) {
            if (!other.over && other.untilEpochMs > nowEpochMs)
              overlaps.push(`${other.run} and ${ticket.run}`);
          }
          const holder = { run: ticket.run, untilEpochMs, over: false };
          holders.push(holder);
          const watch = runWatch(ports, { key, source, ticket, remainingMs });
          const progress = { moved: 0, summary: () => new SyncSummary() };
          const own = process.ports(bases.of({ tenant: key.tenant, sourceId: ticket.sourceId }, ticket.run));
          try {
            const settled = await syncFromSide(ports, { source, side, bases: own, watch, progress });
            const summary = keptSummary(progress.summary(), (text) => text);
            return completedRun({ unchanged: !settled, summary, seen: undefined });
          } catch (thrown) {
            if (thrown instanceof Killed) throw thrown;
            const error = watch.reasonOf(thrown);
            const summary = keptSummary(progress.summary(), (text) => text);
            const { moved } = progress;
            return endedBy(silentLog, { source, error, summary, redact: (text) => text, moved });
          } finally {
            holder.over = true;
          }
        });
        return outcome ?? "nothing";
      } catch (thrown) {
        if (thrown instanceof Killed) return "killed";
        throw thrown;
      }
    },
  };
}
