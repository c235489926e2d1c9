import type { Caller } from "../access/caller.ts";
import type { SourcePutRequest } from "../api/source-requests.ts";
import { ConflictError } from "../errors/planledger-error.ts";
import { faultFields } from "../log/fault-fields.ts";
import type { Log } from "../log/log.ts";
import { resourceKinds } from "../resource/resource-store.ts";
import type { Clock, IdSource } from "../run/clock.ts";
import type { TimedKey } from "../schedule/timed-record.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";
import type { SourceQueue } from "../source/source-message.ts";
import { isRunning, requestedSource, type SourceOrder, savedSource } from "../source/source-moves.ts";
import type { SyncSource } from "../source/sync-source.ts";
import { changeTimed, saveTimed } from "./change-timed-record.ts";

export interface ChangeSourcePorts {
  readonly sources: TimedRecordStore<SyncSource>;
  readonly queue: SourceQueue;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
}

/** Saves a source, which is due then; what is wrong with the place it leads to, its first run tells. */
export const saveSource = async (
  ports: ChangeSourcePorts,
  order: { readonly caller: Caller; readonly name: string; readonly body: SourcePutRequest },
): Promise<{ readonly record: SyncSource; readonly created: boolean }> => {
  const { caller, name, body } = order;
  const { tenant, principal: savedBy } = caller;
  const { from, everyMinutes, paused, scope, ...rules } = body;
  const saved: SourceOrder = {
    ...{ tenant, name, everyMinutes, paused, savedBy },
    from: from.kind === "service" ? { ...from, url: from.url.replace(/\/+$/, "") } : placed(from),
    rules: { ...rules, scope: resourceKinds.filter((kind) => scope.includes(kind)) },
  };
  const outcome = await saveTimed(ports.sources, {
    noun: "sync source",
    key: { tenant, name },
    move: (standing) =>
      savedSource(standing, saved, { nowEpochMs: ports.clock.now(), newSourceId: ports.ids.ulid() }),
  });
  if (!paused) await sendWord(ports, outcome.record);
  return outcome;
};

const placed = ({ kind, url, token }: Extract<SourcePutRequest["from"], { readonly kind: "catalogue" }>) => ({
  ...{ kind, url },
  ...(token === undefined ? {} : { token }),
});

/** Asks for a run now; `sync_running` while one is under way. */
export const requestSourceRun = async (ports: ChangeSourcePorts, key: TimedKey): Promise<SyncSource> => {
  const source = await changeTimed(ports.sources, {
    noun: "sync source",
    key,
    move(standing) {
      if (!isRunning(standing, ports.clock.now())) return requestedSource(standing);
      const { run } = standing.lease ?? {};
      throw new ConflictError({
        code: "sync_running",
        message: `The sync source ${key.name} is running already (run ${run}). Its outcome stands in its runs; ask again once it has ended.`,
        details: { name: key.name, run },
      });
    },
  });
  await sendWord(ports, key);
  return source;
};

/** Should it be lost, the next tick sends it again. */
export const sendWord = async (
  { queue, log }: Pick<ChangeSourcePorts, "queue" | "log">,
  { tenant, name }: TimedKey,
): Promise<void> => {
  try {
    await queue.send({ tenant, name });
  } catch (fault) {
    log.write({
      level: "warn",
      event: "source_word_not_sent",
      tenant,
      schedule: `sources/${name}`,
      ...faultFields(fault),
    });
  }
};
