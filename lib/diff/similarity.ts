import { lineStrings, textLines } from "./text-lines.ts";

/** How much of the larger of two contents the other has too, line by line wherever they stand, in whole percent. */
export const similarityPercent = (before: Uint8Array, after: Uint8Array): number => {
  const larger = Math.max(before.byteLength, after.byteLength);
  if (larger === 0) return 100;
  const counts = new Map<string, number>();
  for (const line of allLines(before)) counts.set(line, (counts.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of allLines(after)) {
    const count = counts.get(line) ?? 0;
    if (count === 0) continue;
    counts.set(line, count - 1);
    common += line.length;
  }
  return Math.floor((100 * common) / larger);
};

const allLines = (bytes: Uint8Array): readonly string[] => {
  const lines = textLines(bytes);
  return lineStrings(lines, 0, lines.count);
};
