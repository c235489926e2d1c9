import type { Frontier } from "./frontier.ts";
import { openingFrontier } from "./opening-frontier.ts";
import type { RunRecord } from "./run-record.ts";
import type { FrontierStore, OpenRuns, RunKey, RunRecordStore } from "./run-store.ts";

/** Frontiers, runs and the index of open runs in this process's memory, for tests and for runs in process. */
export function memoryFrontierStore(): FrontierStore & RunRecordStore & OpenRuns {
  const frontiers = new Map<string, Frontier>();
  const runs = new Map<string, RunRecord>();
  const name = ({ tenant, planId, run }: RunKey) => JSON.stringify([tenant, planId, run]);
  return {
    async create(requested, options) {
      const key = name(requested);
      const run = runs.get(key) ?? structuredClone(requested);
      runs.set(key, run);
      const frontier = frontiers.get(key) ?? openingFrontier(run, options);
      frontiers.set(key, frontier);
      return structuredClone({ run, frontier });
    },
    async read(key) {
      return structuredClone(frontiers.get(name(key)));
    },
    async latest({ tenant, planId }) {
      let latest: Frontier | undefined;
      for (const frontier of frontiers.values()) {
        const same = frontier.tenant === tenant && frontier.planId === planId;
        latest = same && frontier.run > (latest?.run ?? 0) ? frontier : latest;
      }
      return structuredClone(latest);
    },
    async move(next) {
      if (frontiers.get(name(next))?.revision !== next.revision - 1) {
        return false;
      }
      frontiers.set(name(next), structuredClone(next));
      return true;
    },
    async getRun(key) {
      return structuredClone(runs.get(name(key)));
    },
    async due({ nowEpochSeconds, limit, cursor }) {
      const due = [...frontiers.entries()]
        .filter(
          ([, frontier]) => (frontier.nextCheckEpochSeconds ?? Number.POSITIVE_INFINITY) <= nowEpochSeconds,
        )
        .map(([key]) => key)
        .filter((key) => cursor === undefined || key > cursor)
        .sort();
      const page = due.slice(0, limit);
      const last = page.at(-1);
      return {
        runs: page.flatMap((key) => {
          const frontier = frontiers.get(key);
          return frontier === undefined
            ? []
            : [{ tenant: frontier.tenant, planId: frontier.planId, run: frontier.run }];
        }),
        ...(due.length > page.length && last !== undefined ? { cursor: last } : {}),
      };
    },
  };
}
