import * as z from "zod/mini";
import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { RunList } from "./run-record.ts";

type Range = readonly [first: number, count: number];
const rangesSchema = z.array(z.tuple([z.int(), z.int()]));
const maxRangesInRecord = 512;

/** A run's list of decisions: positions to ordinals of the plan, both ascending. */
export interface RunDecisions {
  readonly count: number;
  ordinalAt(position: number): number | undefined;
  /** The position of an ordinal; `undefined` when the run does not take that decision. */
  positionOf(ordinal: number): number | undefined;
}

/** Ordinals (ascending) as a list for a run record; many ranges go to the content store. */
export async function storeRunList(
  ordinals: Iterable<number>,
  content: Pick<ContentStore, "put">,
): Promise<{ readonly list: RunList; readonly decisionCount: number }> {
  const ranges: [number, number][] = [];
  let decisionCount = 0;
  for (const ordinal of ordinals) {
    const last = ranges.at(-1);
    if (last !== undefined && last[0] + last[1] === ordinal) {
      last[1] += 1;
    } else {
      ranges.push([ordinal, 1]);
    }
    decisionCount += 1;
  }
  if (ranges.length <= maxRangesInRecord) {
    return { list: { kind: "ranges", ranges }, decisionCount };
  }
  const [sha256 = ""] = await content.put([Buffer.from(JSON.stringify(ranges))]);
  return { list: { kind: "stored", sha256 }, decisionCount };
}

export async function loadRunList(
  list: RunList,
  decisionCount: number,
  content: Pick<ContentStore, "get">,
): Promise<RunDecisions> {
  switch (list.kind) {
    case "all":
      return rangedDecisions([[0, decisionCount]]);
    case "ranges":
      return rangedDecisions(list.ranges);
    case "stored": {
      const bytes = await content.get(list.sha256);
      if (bytes === undefined) {
        throw new InfrastructureError({
          code: "content_missing",
          message: `The list of decisions ${list.sha256} of a run is not in the content store.`,
        });
      }
      return rangedDecisions(rangesSchema.parse(JSON.parse(new TextDecoder().decode(bytes))));
    }
    default:
      return list satisfies never;
  }
}

function rangedDecisions(ranges: readonly Range[]): RunDecisions {
  const firsts = ranges.map(([first]) => first);
  const starts: number[] = [];
  let count = 0;
  for (const [, length] of ranges) {
    starts.push(count);
    count += length;
  }
  return {
    count,
    ordinalAt(position) {
      const index = lastAtMost(starts, position);
      const range = ranges[index];
      const start = starts[index];
      if (range === undefined || start === undefined || position >= count || position < 0) {
        return undefined;
      }
      return range[0] + (position - start);
    },
    positionOf(ordinal) {
      const index = lastAtMost(firsts, ordinal);
      const range = ranges[index];
      const start = starts[index];
      if (range === undefined || start === undefined || ordinal >= range[0] + range[1]) {
        return undefined;
      }
      return start + (ordinal - range[0]);
    },
  };
}

/** Index of the last number that is not above `value` in an ascending list; -1 when all are. */
function lastAtMost(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}
