import { lineScript } from "../merge/line-script.ts";

/** Lines `before.from … before.to - 1` are replaced by lines `after.from … after.to - 1`; either may be none. */
export interface LineChange {
  readonly beforeFrom: number;
  readonly beforeTo: number;
  readonly afterFrom: number;
  readonly afterTo: number;
}

/**
 * What turns one list of lines into another, in order, never touching one another. Git's own script where the texts are
 * near; where that search becomes too expensive, the lines that both have exactly once divide the work, and what is still
 * too expensive between those is replaced whole. The cost is bounded, the result always right.
 */
export const lineChanges = (before: readonly string[], after: readonly string[]): readonly LineChange[] => {
  const script = lineScript(before, after);
  if (script === undefined) return dividedChanges(before, after);
  const changes: LineChange[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const change = { beforeFrom: i, afterFrom: j };
    while (script.beforeChanged[i] === 1) i += 1;
    while (script.afterChanged[j] === 1) j += 1;
    if (i > change.beforeFrom || j > change.afterFrom) changes.push({ ...change, beforeTo: i, afterTo: j });
    i += 1;
    j += 1;
  }
  return changes;
};

const dividedChanges = (before: readonly string[], after: readonly string[]): readonly LineChange[] => {
  const anchors = commonSubsequence(uniqueCommonLines(before, after));
  const whole = { beforeFrom: 0, beforeTo: before.length, afterFrom: 0, afterTo: after.length };
  if (anchors.length === 0) return [whole];
  const changes: LineChange[] = [];
  let from: LinePair = [0, 0];
  for (const [i, j] of [...anchors, [before.length, after.length] as const]) {
    const [left, right] = from;
    for (const change of lineChanges(before.slice(left, i), after.slice(right, j))) {
      changes.push({
        beforeFrom: change.beforeFrom + left,
        beforeTo: change.beforeTo + left,
        afterFrom: change.afterFrom + right,
        afterTo: change.afterTo + right,
      });
    }
    from = [i + 1, j + 1];
  }
  return changes;
};

type LinePair = readonly [before: number, after: number];

/** Pairs of equal lines that each side has exactly once, in the order of `before`. */
const uniqueCommonLines = (before: readonly string[], after: readonly string[]): readonly LinePair[] => {
  const once = (lines: readonly string[]): Map<string, number> => {
    const positions = new Map<string, number>();
    for (const [index, line] of lines.entries()) positions.set(line, positions.has(line) ? -1 : index);
    return positions;
  };
  const afterOnce = once(after);
  const pairs: LinePair[] = [];
  for (const [line, i] of once(before)) {
    const j = afterOnce.get(line) ?? -1;
    if (i >= 0 && j >= 0) pairs.push([i, j]);
  }
  return pairs.sort((a, b) => a[0] - b[0]);
};

/** The longest run of pairs that ascend on both sides, by patience sorting. */
const commonSubsequence = (pairs: readonly LinePair[]): readonly LinePair[] => {
  interface Card {
    readonly pair: LinePair;
    readonly below: Card | undefined;
  }
  const piles: Card[] = [];
  for (const pair of pairs) {
    let low = 0;
    let high = piles.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((piles[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    piles[low] = { pair, below: piles[low - 1] };
  }
  const longest: LinePair[] = [];
  for (let card = piles.at(-1); card !== undefined; card = card.below) longest.push(card.pair);
  return longest.reverse();
};
