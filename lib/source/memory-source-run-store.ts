import type { SourceRun } from "./source-run.ts";
import { keptSourceRuns, type SourceRunStore } from "./source-run-store.ts";

export function memorySourceRunStore(): SourceRunStore {
  const places = new Map<string, Map<number, SourceRun>>();
  return {
    async record({ tenant, sourceId }, run) {
      const key = JSON.stringify([tenant, sourceId]);
      const runs = places.get(key) ?? new Map<number, SourceRun>();
      places.set(key, runs);
      const place = run.run % keptSourceRuns;
      if ((runs.get(place)?.run ?? 0) >= run.run) return false;
      runs.set(place, structuredClone(run));
      return true;
    },
    async list({ tenant, sourceId }) {
      const runs = places.get(JSON.stringify([tenant, sourceId]))?.values() ?? [];
      return structuredClone([...runs].sort((one, other) => other.run - one.run));
    },
  };
}
