import { ValidationError } from "../errors/planledger-error.ts";
import type { OrderedDecision } from "./plan-order.ts";

const maxSpelledOut = 20;

/**
 * One cycle among decisions that no order can release, as list indexes: each needs the next, the last needs the first, and
 * the one that stands lowest in the list comes first. Every stuck decision must need at least one other stuck one.
 */
export function findCycle(
  decisions: readonly OrderedDecision[],
  graph: {
    readonly indexOf: ReadonlyMap<string, number>;
    readonly isStuck: (index: number) => boolean;
  },
): readonly number[] {
  const stuckDependency = (index: number): number | undefined => {
    for (const id of decisions[index]?.dependsOn ?? []) {
      const dependency = graph.indexOf.get(id);
      if (dependency !== undefined && graph.isStuck(dependency)) return dependency;
    }
    return undefined;
  };
  const walk: number[] = [];
  const positionOf = new Map<number, number>();
  let current: number | undefined = decisions.findIndex((_, index) => graph.isStuck(index));
  while (current !== undefined && !positionOf.has(current)) {
    positionOf.set(current, walk.length);
    walk.push(current);
    current = stuckDependency(current);
  }
  const cycle = walk.slice(current === undefined ? 0 : positionOf.get(current));
  const lowest = cycle.reduce((low, index, at) => (index < (cycle[low] ?? 0) ? at : low), 0);
  return [...cycle.slice(lowest), ...cycle.slice(0, lowest)];
}

/** `dependency_cycle`, spelled out: "a needs b needs c needs a"; of a long cycle its beginning and its length. */
export function dependencyCycleError(
  decisions: readonly OrderedDecision[],
  cycle: readonly number[],
): ValidationError {
  const ids = cycle.map((index) => decisions[index]?.id ?? "");
  const first = cycle[0] ?? 0;
  const next = ids[1] ?? ids[0] ?? "";
  const position = decisions[first]?.dependsOn?.indexOf(next) ?? 0;
  return new ValidationError({
    code: "dependency_cycle",
    field: `/decisions/${first}/dependsOn/${position}`,
    message: `The decisions depend on each other in a cycle: ${spellOut(ids, "needs")}. Take out one of these dependencies.`,
    details: { cycle: ids.slice(0, maxSpelledOut), cycleLength: ids.length },
  });
}

/** `a needs b needs a`; names at most twenty. */
export function spellOut(ids: readonly string[], verb: string): string {
  const shown = ids.slice(0, maxSpelledOut);
  const left = ids.length - shown.length;
  return [...shown, ...(left > 0 ? [`… (${left} more) …`] : []), ids[0] ?? ""].join(` ${verb} `);
}
