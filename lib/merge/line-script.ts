/**
 * The edit script that git's default diff finds between two texts of moderate size: Myers' linear-space search over what is
 * left when common ends and lines unknown to the other side are set apart, then each group of changed lines slid down as far
 * as it goes, or to where the other side changed too. Flags tell which lines changed. `undefined` where git would begin to
 * guess (too many edits), since a guess cannot be told beforehand.
 * Source: E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986); behaviour checked against `git merge-file`.
 */
export interface LineScript {
  readonly beforeChanged: Uint8Array;
  readonly afterChanged: Uint8Array;
}

const maxCost = 256;

export function lineScript(before: readonly string[], after: readonly string[]): LineScript | undefined {
  const beforeChanged = new Uint8Array(before.length);
  const afterChanged = new Uint8Array(after.length);
  let prefix = 0;
  while (prefix < before.length && prefix < after.length && before[prefix] === after[prefix]) prefix++;
  let suffix = 0;
  while (
    suffix < before.length - prefix &&
    suffix < after.length - prefix &&
    before[before.length - 1 - suffix] === after[after.length - 1 - suffix]
  ) {
    suffix++;
  }
  const left = comparable(before, after, { prefix, suffix, changed: beforeChanged });
  const right = comparable(after, before, { prefix, suffix, changed: afterChanged });

  const search = new MiddleSnakes(
    left.map((i) => before[i] ?? ""),
    right.map((j) => after[j] ?? ""),
  );
  const found = search.run();
  if (!found) return undefined;
  for (const [k, index] of left.entries()) if (search.removed[k] === 1) beforeChanged[index] = 1;
  for (const [k, index] of right.entries()) if (search.inserted[k] === 1) afterChanged[index] = 1;

  slideGroups(before, beforeChanged, afterChanged);
  slideGroups(after, afterChanged, beforeChanged);
  return { beforeChanged, afterChanged };
}

/**
 * Indices between the common ends of the lines that take part in the search. A line unknown to the other side does not: it
 * is marked as changed. Nor does one that the other side has very often, when it stands among unknown ones.
 */
function comparable(
  lines: readonly string[],
  other: readonly string[],
  range: { readonly prefix: number; readonly suffix: number; readonly changed: Uint8Array },
): number[] {
  const occurrences = new Map<string, number>();
  for (const line of other) occurrences.set(line, (occurrences.get(line) ?? 0) + 1);
  let often = 1;
  for (let n = lines.length; n > 0; n >>= 2) often <<= 1;
  often = Math.min(often, 1_024);
  const end = lines.length - range.suffix;
  const ranks = lines.map((line) => {
    const count = occurrences.get(line) ?? 0;
    return count === 0 ? "unknown" : count >= often ? "often" : "known";
  });
  const kept: number[] = [];
  for (let i = range.prefix; i < end; i++) {
    if (
      ranks[i] === "known" ||
      (ranks[i] === "often" && !amongUnknown(ranks, i, { start: range.prefix, end }))
    ) {
      kept.push(i);
    } else {
      range.changed[i] = 1;
    }
  }
  return kept;
}

/**
 * Within 100 lines each way, up to the first known line: unknown ones on both sides, and more than three for each frequent
 * one; the line itself counts once on either side.
 */
function amongUnknown(
  ranks: readonly string[],
  at: number,
  range: { readonly start: number; readonly end: number },
): boolean {
  const window = 100;
  const count = { unknown: 0, often: 2 };
  for (const direction of [-1, 1]) {
    let unknown = 0;
    for (let step = 1; step <= window; step++) {
      const i = at + direction * step;
      if (i < range.start || i >= range.end || ranks[i] === "known") break;
      if (ranks[i] === "unknown") unknown++;
      else count.often++;
    }
    if (unknown === 0) return false;
    count.unknown += unknown;
  }
  return count.often * 3 < count.unknown;
}

/** Divide and conquer by the middle of a shortest path, searched from both corners at once. */
class MiddleSnakes {
  readonly removed: Uint8Array;
  readonly inserted: Uint8Array;
  readonly #a: readonly string[];
  readonly #b: readonly string[];

  constructor(a: readonly string[], b: readonly string[]) {
    this.#a = a;
    this.#b = b;
    this.removed = new Uint8Array(a.length);
    this.inserted = new Uint8Array(b.length);
  }

  run(): boolean {
    const boxes: [number, number, number, number][] = [[0, this.#a.length, 0, this.#b.length]];
    for (;;) {
      const box = boxes.pop();
      if (box === undefined) return true;
      let [left, right, top, bottom] = box;
      while (left < right && top < bottom && this.#a[left] === this.#b[top]) {
        left++;
        top++;
      }
      while (left < right && top < bottom && this.#a[right - 1] === this.#b[bottom - 1]) {
        right--;
        bottom--;
      }
      if (left === right) this.inserted.fill(1, top, bottom);
      else if (top === bottom) this.removed.fill(1, left, right);
      else {
        const middle = this.#middle({ left, right, top, bottom });
        if (middle === undefined) return false;
        boxes.push([left, middle.x, top, middle.y], [middle.x, right, middle.y, bottom]);
      }
    }
  }

  #middle(box: {
    left: number;
    right: number;
    top: number;
    bottom: number;
  }): { x: number; y: number } | undefined {
    const { left, right, top, bottom } = box;
    const a = this.#a;
    const b = this.#b;
    const lowest = left - bottom;
    const highest = right - top;
    const shift = 1 - lowest;
    const forward = new Int32Array(highest - lowest + 3);
    const backward = new Int32Array(highest - lowest + 3);
    const forwardMiddle = left - top;
    const backwardMiddle = right - bottom;
    const odd = ((forwardMiddle - backwardMiddle) & 1) !== 0;
    let [forwardMin, forwardMax, backwardMin, backwardMax] = [
      forwardMiddle,
      forwardMiddle,
      backwardMiddle,
      backwardMiddle,
    ];
    forward[forwardMiddle + shift] = left;
    backward[backwardMiddle + shift] = right;
    for (let cost = 1; cost < maxCost; cost++) {
      if (forwardMin > lowest) forward[--forwardMin - 1 + shift] = -1;
      else forwardMin++;
      if (forwardMax < highest) forward[++forwardMax + 1 + shift] = -1;
      else forwardMax--;
      for (let k = forwardMax; k >= forwardMin; k -= 2) {
        const fromLeft = forward[k - 1 + shift] ?? -1;
        const fromAbove = forward[k + 1 + shift] ?? -1;
        let x = fromLeft >= fromAbove ? fromLeft + 1 : fromAbove;
        let y = x - k;
        while (x < right && y < bottom && a[x] === b[y]) {
          x++;
          y++;
        }
        forward[k + shift] = x;
        if (odd && k >= backwardMin && k <= backwardMax && (backward[k + shift] ?? 0) <= x) return { x, y };
      }
      if (backwardMin > lowest) backward[--backwardMin - 1 + shift] = 0x7fffffff;
      else backwardMin++;
      if (backwardMax < highest) backward[++backwardMax + 1 + shift] = 0x7fffffff;
      else backwardMax--;
      for (let k = backwardMax; k >= backwardMin; k -= 2) {
        const fromBelow = backward[k - 1 + shift] ?? 0;
        const fromRight = backward[k + 1 + shift] ?? 0;
        let x = fromBelow < fromRight ? fromBelow : fromRight - 1;
        let y = x - k;
        while (x > left && y > top && a[x - 1] === b[y - 1]) {
          x--;
          y--;
        }
        backward[k + shift] = x;
        if (!odd && k >= forwardMin && k <= forwardMax && x <= (forward[k + shift] ?? 0)) return { x, y };
      }
    }
    return undefined;
  }
}

/** A run of changed lines [start, end), possibly empty: one stands before every unchanged line, and one at the end. */
class Group {
  start = 0;
  end = 0;
  readonly #changed: Uint8Array;

  constructor(changed: Uint8Array) {
    this.#changed = changed;
    while (changed[this.end] === 1) this.end++;
  }

  next(): boolean {
    if (this.end === this.#changed.length) return false;
    this.start = this.end + 1;
    this.end = this.start;
    while (this.#changed[this.end] === 1) this.end++;
    return true;
  }

  previous(): boolean {
    if (this.start === 0) return false;
    this.end = this.start - 1;
    this.start = this.end;
    while (this.start > 0 && this.#changed[this.start - 1] === 1) this.start--;
    return true;
  }

  slideUp(lines: readonly string[]): boolean {
    if (this.start === 0 || lines[this.start - 1] !== lines[this.end - 1]) return false;
    this.#changed[--this.start] = 1;
    this.#changed[--this.end] = 0;
    while (this.start > 0 && this.#changed[this.start - 1] === 1) this.start--;
    return true;
  }

  slideDown(lines: readonly string[]): boolean {
    if (this.end === lines.length || lines[this.start] !== lines[this.end]) return false;
    this.#changed[this.start++] = 0;
    this.#changed[this.end++] = 1;
    while (this.#changed[this.end] === 1) this.end++;
    return true;
  }
}

function slideGroups(lines: readonly string[], changed: Uint8Array, otherChanged: Uint8Array): void {
  const group = new Group(changed);
  const other = new Group(otherChanged);
  do {
    if (group.end > group.start) {
      let size: number;
      let matchingEnd: number;
      let earliestEnd: number;
      do {
        size = group.end - group.start;
        matchingEnd = -1;
        while (group.slideUp(lines)) other.previous();
        earliestEnd = group.end;
        if (other.end > other.start) matchingEnd = group.end;
        while (group.slideDown(lines)) {
          other.next();
          if (other.end > other.start) matchingEnd = group.end;
        }
      } while (size !== group.end - group.start);
      if (group.end !== earliestEnd && matchingEnd !== -1) {
        while (other.end === other.start) {
          group.slideUp(lines);
          other.previous();
        }
      }
    }
    other.next();
  } while (group.next());
}
