import type { Clock } from "../run/clock.ts";
import { isDeleted, type TimedKey } from "../schedule/timed-record.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";
import type { SourceQueue } from "../source/source-message.ts";
import { lookAtSource } from "../source/source-moves.ts";
import type { SourceRunStore } from "../source/source-run-store.ts";
import type { SyncSource } from "../source/sync-source.ts";

export interface SourceLookPorts {
  readonly sources: TimedRecordStore<SyncSource>;
  readonly runs: SourceRunStore;
  readonly queue: SourceQueue;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * What a tick does about a source: sends word to the worker when a run is due, or records that a run was killed when its lease
 * has run out. Killed in between, the next tick does it again, which does no harm. Answers whether the source was moved on.
 */
export const lookAtDueSource = async (ports: SourceLookPorts, key: TimedKey): Promise<boolean> => {
  const source = await ports.sources.get(key);
  if (source === undefined || isDeleted(source)) return false;
  const nowEpochMs = ports.clock.now();
  const look = lookAtSource(source, { nowEpochMs, random: ports.random() });
  switch (look.kind) {
    case "nothing":
      return false;
    case "send":
      await ports.queue.send(key);
      return ports.sources.put(look.source);
    case "expire": {
      const { sourceId, run, startedAtEpochMs } = look.lease;
      await ports.runs.record(
        { tenant: key.tenant, sourceId },
        {
          ...{ run, startedAtEpochMs, endedAtEpochMs: nowEpochMs, outcome: "killed" },
          message:
            "The run was killed, or the service went down: nobody said how it ended. What it did stays done; the next one goes on.",
        },
      );
      return ports.sources.put(look.source);
    }
    default:
      return look satisfies never;
  }
};
