import { type LineScript, lineScript } from "./line-script.ts";
import { type ChangedRegion, changedRegions } from "./stable-lines.ts";

/** Clean with the merged bytes, or a conflict with its reason. */
export type LineMerge =
  | { readonly clean: true; readonly bytes: Uint8Array }
  | { readonly clean: false; readonly reason: "binary" | "overlap" | "too_different" };

const limits = { maxEdits: 2_000, maxCells: 40_000_000 };

/**
 * Three-way merge of a file by lines, cautious on purpose: whenever it merges, `git merge-file` is clean too and gives the
 * same bytes. Where git's own edit script can be told (`lineScript`), that is followed; else only regions count that every
 * shortest edit script agrees on (`changedRegions`). Changes that touch are conflicts, unless both sides made the very same
 * one. Bytes stay as they are: line ends, a missing newline at the end, invalid UTF-8; a NUL makes the file binary, which is
 * never merged.
 */
export function mergeLines(sides: {
  readonly base: Uint8Array;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}): LineMerge {
  if ([sides.base, sides.ours, sides.theirs].some((bytes) => bytes.includes(0))) {
    return { clean: false, reason: "binary" };
  }
  const base = splitLines(sides.base);
  const ours = splitLines(sides.ours);
  const theirs = splitLines(sides.theirs);
  const ourRegions = regionsOf(base, ours);
  const theirRegions = regionsOf(base, theirs);
  if (ourRegions === undefined || theirRegions === undefined)
    return { clean: false, reason: "too_different" };
  const merged = mergeRegions({ base, ours, ourRegions, theirs, theirRegions });
  if (merged === undefined) return { clean: false, reason: "overlap" };
  return { clean: true, bytes: Buffer.from(merged.join(""), "latin1") };
}

function regionsOf(base: readonly string[], side: readonly string[]): readonly ChangedRegion[] | undefined {
  const script = lineScript(base, side);
  return script === undefined ? changedRegions(base, side, limits) : scriptRegions(script);
}

function scriptRegions({ beforeChanged, afterChanged }: LineScript): readonly ChangedRegion[] {
  const regions: ChangedRegion[] = [];
  let before = 0;
  let after = 0;
  while (before < beforeChanged.length || after < afterChanged.length) {
    const [beforeStart, afterStart] = [before, after];
    while (beforeChanged[before] === 1) before++;
    while (afterChanged[after] === 1) after++;
    if (before > beforeStart || after > afterStart) {
      regions.push({ beforeStart, beforeEnd: before, afterStart, afterEnd: after });
    }
    before++;
    after++;
  }
  return regions;
}

interface Sides {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly ourRegions: readonly ChangedRegion[];
  readonly theirs: readonly string[];
  readonly theirRegions: readonly ChangedRegion[];
}

function mergeRegions({
  base,
  ours,
  ourRegions,
  theirs,
  theirRegions,
}: Sides): readonly string[] | undefined {
  const merged: string[] = [];
  let at = 0;
  let mine = 0;
  let other = 0;
  const take = (region: ChangedRegion, lines: readonly string[]): void => {
    for (let i = at; i < region.beforeStart; i++) merged.push(base[i] ?? "");
    for (let i = region.afterStart; i < region.afterEnd; i++) merged.push(lines[i] ?? "");
    at = region.beforeEnd;
  };
  for (;;) {
    const a = ourRegions[mine];
    const b = theirRegions[other];
    if (a === undefined && b === undefined) break;
    if (b === undefined || (a !== undefined && a.beforeEnd < b.beforeStart)) {
      if (a !== undefined) take(a, ours);
      mine++;
    } else if (a === undefined || b.beforeEnd < a.beforeStart) {
      take(b, theirs);
      other++;
    } else {
      const cluster = touching(ourRegions.slice(mine), theirRegions.slice(other));
      const text = ours.slice(cluster.ours.start, cluster.ours.end);
      const theirText = theirs.slice(cluster.theirs.start, cluster.theirs.end);
      if (text.length !== theirText.length || text.some((line, i) => line !== theirText[i])) return undefined;
      for (let i = at; i < cluster.start; i++) merged.push(base[i] ?? "");
      merged.push(...text);
      at = cluster.end;
      mine += cluster.ours.count;
      other += cluster.theirs.count;
    }
  }
  for (let i = at; i < base.length; i++) merged.push(base[i] ?? "");
  return merged;
}

/** The stretch of base lines that the first regions of both sides, and all that touch them, cover; and what it became. */
function touching(ourRegions: readonly ChangedRegion[], theirRegions: readonly ChangedRegion[]) {
  let start = Number.POSITIVE_INFINITY;
  let end = -1;
  const counts = [0, 0];
  const sides = [ourRegions, theirRegions];
  for (let grown = true; grown; ) {
    grown = false;
    for (const [side, regions] of sides.entries()) {
      const region = regions[counts[side] ?? 0];
      if (region === undefined || (end !== -1 && region.beforeStart > end)) continue;
      start = Math.min(start, region.beforeStart);
      end = Math.max(end, region.beforeEnd);
      counts[side] = (counts[side] ?? 0) + 1;
      grown = true;
    }
  }
  const span = (regions: readonly ChangedRegion[], count: number) => {
    const first = regions[0];
    const last = regions[count - 1];
    if (first === undefined || last === undefined) return { start, end, count };
    return {
      start: first.afterStart - (first.beforeStart - start),
      end: last.afterEnd + (end - last.beforeEnd),
      count,
    };
  };
  return { start, end, ours: span(ourRegions, counts[0] ?? 0), theirs: span(theirRegions, counts[1] ?? 0) };
}

/** Lines with their ends, one character a byte. */
function splitLines(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf("\n", start);
    const next = end === -1 ? text.length : end + 1;
    lines.push(text.slice(start, next));
    start = next;
  }
  return lines;
}
