/**
 * Where two versions of a text surely correspond. Of all shortest edit scripts between `before` and `after`, a line of
 * `before` is *stable* when every script keeps it and pairs it with the same line of `after`; everything between two stable
 * lines is a *region* that some script touches. A merge that keeps to regions does not depend on which script a diff picks.
 * Answers `undefined` when the texts differ in more than `maxEdits` lines, or when the search would take more than
 * `maxCells` steps.
 */
export interface ChangedRegion {
  /** Lines [beforeStart, beforeEnd) of `before` became [afterStart, afterEnd) of `after`. */
  readonly beforeStart: number;
  readonly beforeEnd: number;
  readonly afterStart: number;
  readonly afterEnd: number;
}

export interface RegionLimits {
  readonly maxEdits: number;
  readonly maxCells: number;
}

const unreachable = 0x3fffffff;

export function changedRegions(
  before: readonly string[],
  after: readonly string[],
  limits: RegionLimits,
): readonly ChangedRegion[] | undefined {
  const rows = before.length;
  const columns = after.length;
  const distance = editDistance(before, after, limits);
  if (distance === undefined) return undefined;
  if (distance === 0) return [];
  const width = 2 * distance + 1;
  if ((rows + 1) * width > limits.maxCells) return undefined;

  // Cells (i, j) of the edit graph with |i - j| ≤ distance, column j of row i at index i * width + (j - i + distance).
  const forward = new Int32Array((rows + 1) * width).fill(unreachable);
  for (let i = 0; i <= rows; i++) {
    for (let band = 0; band < width; band++) {
      const j = i + band - distance;
      if (j < 0 || j > columns) continue;
      const at = i * width + band;
      let best = i === 0 && j === 0 ? 0 : unreachable;
      if (i > 0 && band + 1 < width) best = Math.min(best, (forward[at - width + 1] ?? unreachable) + 1);
      if (j > 0 && band > 0) best = Math.min(best, (forward[at - 1] ?? unreachable) + 1);
      if (i > 0 && j > 0 && before[i - 1] === after[j - 1])
        best = Math.min(best, forward[at - width] ?? unreachable);
      forward[at] = best;
    }
  }
  const backward = new Int32Array((rows + 1) * width).fill(unreachable);
  for (let i = rows; i >= 0; i--) {
    for (let band = width - 1; band >= 0; band--) {
      const j = i + band - distance;
      if (j < 0 || j > columns) continue;
      const at = i * width + band;
      let best = i === rows && j === columns ? 0 : unreachable;
      if (i < rows && band > 0) best = Math.min(best, (backward[at + width - 1] ?? unreachable) + 1);
      if (j < columns && band + 1 < width) best = Math.min(best, (backward[at + 1] ?? unreachable) + 1);
      if (i < rows && j < columns && before[i] === after[j])
        best = Math.min(best, backward[at + width] ?? unreachable);
      backward[at] = best;
    }
  }

  // A row's line is stable when the only edge of any shortest script that leaves the row is one diagonal.
  const partner = new Int32Array(rows).fill(-1);
  for (let i = 0; i < rows; i++) {
    let diagonals = 0;
    let deletions = 0;
    let column = -1;
    for (let band = 0; band < width; band++) {
      const j = i + band - distance;
      if (j < 0 || j > columns) continue;
      const at = i * width + band;
      const cost = forward[at] ?? unreachable;
      if (cost > distance) continue;
      if (
        j < columns &&
        before[i] === after[j] &&
        cost + (backward[at + width] ?? unreachable) === distance
      ) {
        diagonals++;
        column = j;
      }
      if (band > 0 && cost + 1 + (backward[at + width - 1] ?? unreachable) === distance) deletions++;
    }
    if (diagonals === 1 && deletions === 0) partner[i] = column;
  }
  return regionsBetween(partner, rows, columns);
}

function regionsBetween(partner: Int32Array, rows: number, columns: number): readonly ChangedRegion[] {
  const regions: ChangedRegion[] = [];
  let beforeStart = 0;
  let afterStart = 0;
  const close = (beforeEnd: number, afterEnd: number): void => {
    if (beforeEnd > beforeStart || afterEnd > afterStart) {
      regions.push({ beforeStart, beforeEnd, afterStart, afterEnd });
    }
  };
  for (let i = 0; i < rows; i++) {
    const j = partner[i] ?? -1;
    if (j < 0) continue;
    close(i, j);
    beforeStart = i + 1;
    afterStart = j + 1;
  }
  close(rows, columns);
  return regions;
}

/** Length of the shortest edit script by insertions and deletions (Myers' greedy search), or `undefined` beyond the limits. */
function editDistance(
  before: readonly string[],
  after: readonly string[],
  limits: RegionLimits,
): number | undefined {
  const rows = before.length;
  const columns = after.length;
  const bound = Math.min(rows + columns, limits.maxEdits);
  const furthest = new Int32Array(2 * bound + 3).fill(-1);
  const origin = bound + 1;
  furthest[origin + 1] = 0;
  for (let edits = 0; edits <= bound; edits++) {
    for (let k = -edits; k <= edits; k += 2) {
      const down = furthest[origin + k + 1] ?? -1;
      const right = furthest[origin + k - 1] ?? -1;
      let x = k === -edits || (k !== edits && right < down) ? down : right + 1;
      let y = x - k;
      while (x < rows && y < columns && before[x] === after[y]) {
        x++;
        y++;
      }
      furthest[origin + k] = x;
      if (x >= rows && y >= columns) return edits;
    }
  }
  return undefined;
}
