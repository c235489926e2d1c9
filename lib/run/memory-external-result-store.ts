import type { ExternalResult, ExternalResultStore } from "./run-store.ts";

/** Results of external calls in this process's memory, for tests and for runs in process. */
export function memoryExternalResultStore(): ExternalResultStore {
  const results = new Map<string, ExternalResult>();
  const name = (key: Parameters<ExternalResultStore["get"]>[0]) =>
    JSON.stringify([key.tenant, key.planId, key.run, key.ordinal, key.callOrdinal]);
  return {
    async putIfAbsent(key, result) {
      const standing = results.get(name(key)) ?? structuredClone(result);
      results.set(name(key), standing);
      return structuredClone(standing);
    },
    async get(key) {
      return structuredClone(results.get(name(key)));
    },
  };
}
