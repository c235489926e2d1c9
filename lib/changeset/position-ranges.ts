/** Positions as ranges of first and last, ascending: one range for any number of consecutive ones. */
export type PositionRanges = readonly (readonly [first: number, last: number])[];

/** Expects ascending positions, none twice. */
export function rangesOf(positions: readonly number[]): PositionRanges {
  const ranges: [number, number][] = [];
  for (const position of positions) {
    const last = ranges.at(-1);
    if (last?.[1] === position - 1) last[1] = position;
    else ranges.push([position, position]);
  }
  return ranges;
}

export function inRanges(ranges: PositionRanges, position: number): boolean {
  return ranges.some(([first, last]) => first <= position && position <= last);
}
