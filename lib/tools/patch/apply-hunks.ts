import { visitOccurrences } from "../occurrences.ts";
import type { Hunk } from "./file-patch.ts";
import { patchFailed } from "./patch-failed.ts";

/** Lines that searches for moved hunks may pass in one patch; real patches need a small part of it. */
const maxSearchedLines = 20_000_000;

/**
 * Applies hunks to a file's bytes, all or none: every old line must be there byte for byte. A hunk may stand elsewhere than
 * it says (the nearest place wins), but behind the one before; one that begins at the first line, or has no context at its
 * end, stands at the beginning or end of the file, as `git apply` has it.
 */
export const applyHunks = (path: string, before: Uint8Array, hunks: readonly Hunk[]): Uint8Array => {
  if (hunks.length === 0) return before;
  const lines = linesOf(before);
  const parts: string[] = [];
  let done = 0;
  let drift = 0;
  let searched = 0;
  for (const [index, hunk] of hunks.entries()) {
    const said = Math.max(0, hunk.oldLines.length === 0 ? hunk.oldStart : hunk.oldStart - 1);
    const direct = said + drift;
    let at: number | undefined = direct;
    if (!standsAt(lines, hunk, { at: direct, done })) {
      searched += lines.length - done;
      at = searched > maxSearchedLines ? undefined : nearest(lines, hunk, { at: direct, done });
    }
    if (at === undefined) {
      throw patchFailed(
        `hunk ${index + 1} does not fit ${JSON.stringify(path)}: the lines that it expects near line ${hunk.oldStart} are not there; read the file and make the patch anew`,
        { patchLine: hunk.patchLine, path, hunk: index + 1 },
      );
    }
    for (let line = done; line < at; line += 1) parts.push(lines[line] ?? "");
    for (const line of hunk.newLines) parts.push(line);
    done = at + hunk.oldLines.length;
    drift = at - said;
  }
  for (let line = done; line < lines.length; line += 1) parts.push(lines[line] ?? "");
  return Buffer.from(parts.join(""), "latin1");
};

interface Place {
  readonly at: number;
  /** Lines before this one belong to earlier hunks. */
  readonly done: number;
}

const allowedAt = (lines: readonly string[], hunk: Hunk, { at, done }: Place): boolean =>
  at >= done &&
  (hunk.oldStart > 1 || at === 0) &&
  (hunk.trailingContext > 0 || at + hunk.oldLines.length === lines.length);

const standsAt = (lines: readonly string[], hunk: Hunk, place: Place): boolean =>
  allowedAt(lines, hunk, place) &&
  place.at + hunk.oldLines.length <= lines.length &&
  hunk.oldLines.every((line, index) => lines[place.at + index] === line);

const nearest = (lines: readonly string[], hunk: Hunk, { at, done }: Place): number | undefined => {
  let best: number | undefined;
  visitOccurrences(lines, hunk.oldLines, {
    from: done,
    visit: (found) => {
      const distance = Math.abs(found - at);
      if (
        allowedAt(lines, hunk, { at: found, done }) &&
        (best === undefined || distance < Math.abs(best - at))
      ) {
        best = found;
      }
      // Matches come in order: behind the expected line they only get further away.
      return best === undefined || found <= at;
    },
  });
  return best;
};

const linesOf = (bytes: Uint8Array): readonly string[] => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  return text === "" ? [] : text.split(/(?<=\n)/);
};
