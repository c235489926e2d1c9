import {
  type DeletedRecord,
  isDeleted,
  type TimedKey,
  type TimedKind,
  type TimedRecord,
} from "./timed-record.ts";
import type { DueKey, DueRecords, TimedRecordStore } from "./timed-record-store.ts";

/** Stores in this process's memory, and what is due in them. */
export interface MemoryTimedRecords extends DueRecords {
  store<Live extends TimedRecord>(kind: TimedKind): TimedRecordStore<Live>;
}

const text = ({ tenant, name }: TimedKey): string => JSON.stringify([tenant, name]);

export function memoryTimedRecords(): MemoryTimedRecords {
  const looks = new Map<string, DueKey & { readonly lookAtEpochSeconds: number }>();
  return {
    store<Live extends TimedRecord>(kind: TimedKind): TimedRecordStore<Live> {
      const records = new Map<string, Live | DeletedRecord>();
      return {
        async get(key) {
          return structuredClone(records.get(text(key)));
        },
        async put(record) {
          const standing = records.get(text(record));
          if ((standing?.revision ?? 0) !== record.revision - 1) return false;
          records.set(text(record), structuredClone(record));
          const at = `${kind} ${text(record)}`;
          const { tenant, name, lookAtEpochSeconds } = record;
          if (lookAtEpochSeconds === undefined) looks.delete(at);
          else looks.set(at, { kind, tenant, name, lookAtEpochSeconds });
          return true;
        },
        async list({ tenant, limit, cursor }) {
          const names = [...records.values()]
            .flatMap((record) => (record.tenant === tenant && !isDeleted(record) ? [record] : []))
            .filter(({ name }) => cursor === undefined || name > cursor)
            .sort((one, other) => (one.name < other.name ? -1 : 1));
          const page = names.slice(0, limit);
          const last = page.at(-1);
          return {
            records: structuredClone(page),
            ...(names.length > limit && last !== undefined ? { cursor: last.name } : {}),
          };
        },
      };
    },
    async due({ nowEpochSeconds, limit }) {
      return [...looks.values()]
        .filter(({ lookAtEpochSeconds }) => lookAtEpochSeconds <= nowEpochSeconds)
        .sort((one, other) => one.lookAtEpochSeconds - other.lookAtEpochSeconds)
        .slice(0, limit)
        .map(({ kind, tenant, name }) => ({ kind, tenant, name }));
    },
  };
}
