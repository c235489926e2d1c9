import { type LineChange, lineChanges } from "./line-changes.ts";
import { lineStrings, type TextLines, textLines } from "./text-lines.ts";

const contextLines = 3;
/** Equal lines around what differs that the search still sees, so that groups can slide as git slides them. */
const marginLines = 1000;
/** Beyond this the part that differs is replaced whole. */
const maxComparedLines = 200_000;

/** The hunks (`@@ … @@` and lines) that turn one text into another: bytes, empty when they are equal. */
export const textHunks = (before: Uint8Array, after: Uint8Array): Uint8Array => {
  const texts = { before: textLines(before), after: textLines(after) };
  const parts: Buffer[] = [];
  let shift = 0;
  for (const group of groups(textChanges(texts.before, texts.after))) {
    shift = pushHunk(parts, { ...texts, group, shift });
  }
  return Buffer.concat(parts);
};

const textChanges = (before: TextLines, after: TextLines): readonly LineChange[] => {
  const { prefix, suffix } = commonEnds(before, after);
  const from = Math.max(0, prefix - marginLines);
  const kept = Math.max(0, suffix - marginLines);
  if (Math.max(before.count, after.count) - kept - from > maxComparedLines) {
    return [
      {
        beforeFrom: prefix,
        beforeTo: before.count - suffix,
        afterFrom: prefix,
        afterTo: after.count - suffix,
      },
    ].filter((change) => change.beforeTo > change.beforeFrom || change.afterTo > change.afterFrom);
  }
  return lineChanges(
    lineStrings(before, from, before.count - kept),
    lineStrings(after, from, after.count - kept),
  ).map((change) => ({
    beforeFrom: change.beforeFrom + from,
    beforeTo: change.beforeTo + from,
    afterFrom: change.afterFrom + from,
    afterTo: change.afterTo + from,
  }));
};

/** How many lines both texts begin and end with in common; the two do not overlap. */
const commonEnds = (before: TextLines, after: TextLines): { prefix: number; suffix: number } => {
  const shorter = Math.min(before.count, after.count);
  let prefix = 0;
  while (prefix < shorter && sameLine([before, prefix], [after, prefix])) prefix += 1;
  let suffix = 0;
  while (
    suffix < shorter - prefix &&
    sameLine([before, before.count - 1 - suffix], [after, after.count - 1 - suffix])
  ) {
    suffix += 1;
  }
  return { prefix, suffix };
};

type LineAt = readonly [lines: TextLines, index: number];
const sameLine = ([a, i]: LineAt, [b, j]: LineAt): boolean => {
  const [aFrom = 0, aTo = 0] = [a.starts[i], a.starts[i + 1]];
  const [bFrom = 0, bTo = 0] = [b.starts[j], b.starts[j + 1]];
  if (aTo - aFrom !== bTo - bFrom || a.bytes[aFrom] !== b.bytes[bFrom]) return false;
  return a.bytes.compare(b.bytes, bFrom, bTo, aFrom, aTo) === 0;
};

/** Changes whose context would touch stand in one hunk. */
function* groups(changes: readonly LineChange[]): Generator<readonly [LineChange, ...LineChange[]]> {
  let group: [LineChange, ...LineChange[]] | undefined;
  for (const change of changes) {
    const last = group?.at(-1);
    if (group !== undefined && last !== undefined && change.beforeFrom - last.beforeTo <= 2 * contextLines) {
      group.push(change);
    } else {
      if (group !== undefined) yield group;
      group = [change];
    }
  }
  if (group !== undefined) yield group;
}

interface Hunk {
  readonly before: TextLines;
  readonly after: TextLines;
  readonly group: readonly [LineChange, ...LineChange[]];
  /** By how much lines stand later in `after`, from the hunks so far. */
  readonly shift: number;
}

/** Appends a hunk and returns the shift behind it. */
const pushHunk = (parts: Buffer[], hunk: Hunk): number => {
  const { before, after, group } = hunk;
  const last = group.at(-1) ?? group[0];
  const from = Math.max(0, group[0].beforeFrom - contextLines);
  const to = Math.min(before.count, last.beforeTo + contextLines);
  const shift = last.afterTo - last.beforeTo;
  const oldRange = range(from, to - from);
  const newRange = range(from + hunk.shift, to + shift - from - hunk.shift);
  parts.push(Buffer.from(`@@ -${oldRange} +${newRange} @@\n`));
  let line = from;
  for (const change of group) {
    pushLines(parts, " ", { lines: before, from: line, to: change.beforeFrom });
    pushLines(parts, "-", { lines: before, from: change.beforeFrom, to: change.beforeTo });
    pushLines(parts, "+", { lines: after, from: change.afterFrom, to: change.afterTo });
    line = change.beforeTo;
  }
  pushLines(parts, " ", { lines: before, from: line, to });
  return shift;
};

/** Lines count from 1; an empty range names the line before it, a range of one leaves its length out. */
const range = (from: number, length: number): string =>
  length === 1 ? `${from + 1}` : `${length === 0 ? from : from + 1},${length}`;

const noNewline = Buffer.from("\n\\ No newline at end of file\n");

/** In one piece: a file of 16 MiB can have so many lines that an object for each takes a gigabyte. */
const pushLines = (
  parts: Buffer[],
  sign: " " | "-" | "+",
  { lines, from, to }: { readonly lines: TextLines; readonly from: number; readonly to: number },
): void => {
  if (from >= to) return;
  const { bytes, starts } = lines;
  const [begin = 0, end = 0] = [starts[from], starts[to]];
  const piece = Buffer.allocUnsafe(end - begin + to - from);
  const signByte = sign.charCodeAt(0);
  let written = 0;
  let at = begin;
  for (let line = from; line < to; line += 1) {
    piece[written] = signByte;
    written += 1;
    const lineEnd = starts[line + 1] ?? end;
    for (; at < lineEnd; at += 1, written += 1) piece[written] = bytes[at] ?? 0;
  }
  parts.push(piece);
  if (bytes[end - 1] !== 0x0a) parts.push(noNewline);
};
