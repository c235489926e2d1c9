import { isDeepStrictEqual } from "node:util";
import type { ResourceKey, ResourceRecord, ResourceStore } from "./resource-store.ts";

/** Resources in this process's memory, for tests and for services in process. Records are copied in and out. */
export function memoryResourceStore(): ResourceStore {
  const histories = new Map<string, ResourceRecord[]>();
  const keyOf = ({ tenant, kind, id }: ResourceKey) => JSON.stringify([tenant, kind, id]);
  return {
    async get(key) {
      return structuredClone(histories.get(keyOf(key))?.at(-1));
    },
    async getRevision(key) {
      return structuredClone(histories.get(keyOf(key))?.[key.revision - 1]);
    },
    async put(record) {
      const history = histories.get(keyOf(record)) ?? [];
      if (history.length !== record.revision - 1) return isDeepStrictEqual(history.at(-1), record);
      histories.set(keyOf(record), [...history, structuredClone(record)]);
      return true;
    },
    async list({ tenant, kind, limit, cursor }) {
      const own = [...histories.values()]
        .flatMap((history) => history.at(-1) ?? [])
        .filter((record) => record.tenant === tenant && (kind === undefined || record.kind === kind))
        .map((record) => ({ record, position: Buffer.from(`${record.kind}#${record.id}`) }))
        .filter(({ position }) => cursor === undefined || position.compare(Buffer.from(cursor)) > 0)
        .sort((one, other) => one.position.compare(other.position));
      const page = own.slice(0, limit);
      const last = page.at(-1);
      return {
        resources: page.map(({ record: { body, ...rest } }) => rest),
        ...(own.length > page.length && last !== undefined ? { cursor: last.position.toString() } : {}),
      };
    },
  };
}
