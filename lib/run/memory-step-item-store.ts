import type { PlanKey, StepItem, StepItemStore } from "./run-store.ts";

/** Stored steps in this process's memory, for tests and for runs in process. */
export function memoryStepItemStore(): StepItemStore {
  /** By plan and run, in the order of positions, then of epochs. */
  const runs = new Map<string, StepItem[]>();
  const itemsOf = ({ tenant, planId }: PlanKey, run: number): StepItem[] => {
    const name = JSON.stringify([tenant, planId, run]);
    const items = runs.get(name) ?? [];
    runs.set(name, items);
    return items;
  };
  return {
    async putIfAbsent(key, item) {
      const items = itemsOf(key, item.run);
      const at = items.findLastIndex((other) => precedes(other, item)) + 1;
      const standing = items[at];
      if (standing?.from === item.from && standing.epoch === item.epoch) {
        return structuredClone(standing);
      }
      items.splice(at, 0, structuredClone(item));
      return structuredClone(item);
    },
    async get(key) {
      const items = itemsOf(key, key.run);
      return structuredClone(items.find(({ from, epoch }) => from === key.from && epoch === key.epoch));
    },
    async range({ from, before, limit, ...key }) {
      const items = itemsOf(key, key.run);
      const start = items.findLastIndex((item) => item.from <= from);
      const found: StepItem[] = [];
      for (let index = Math.max(0, start); index < items.length && found.length < limit; index += 1) {
        const item = items[index];
        if (item === undefined || item.from >= before) {
          break;
        }
        const superseded = items[index + 1]?.from === item.from;
        if (!superseded && item.from + item.count > from) {
          found.push(item);
        }
      }
      return structuredClone(found);
    },
  };
}

function precedes(one: StepItem, other: StepItem): boolean {
  return one.from < other.from || (one.from === other.from && one.epoch < other.epoch);
}
