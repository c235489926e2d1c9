import type { ChangeEntry } from "#lib/changeset/change-entry.ts";
import { netChanges } from "#lib/changeset/net-changes.ts";
import { pairMoves } from "#lib/changeset/pair-moves.ts";
import type { FileDiffPiece } from "#lib/diff/tree-diff.ts";

/** The paths that a diff of these entries has a piece for, in its order: a move has one, at its new path. */
export function diffPaths(entries: readonly ChangeEntry[]): readonly string[] {
  const resources = [...new Set(entries.map(({ resource }) => resource))].sort();
  return resources.flatMap((resource) => {
    const differences = netChanges(entries, resource);
    const moved = new Set(pairMoves(differences).values());
    return differences.flatMap(({ path }) => (moved.has(path) ? [] : [path]));
  });
}

/**
 * A diff in pieces, one a file. Lines of a hunk are counted over, so that no content is taken for a header; names come from
 * `diffPaths` of the same entries.
 */
export function diffPieces(diff: Uint8Array, paths: readonly string[]): readonly FileDiffPiece[] {
  const bytes = Buffer.from(diff);
  const starts: number[] = [];
  let left = { old: 0, now: 0 };
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at);
    const next = end === -1 ? bytes.length : end + 1;
    const kind = bytes[at];
    if (left.old > 0 || left.now > 0) {
      if (kind === minus || kind === space) left.old -= 1;
      if (kind === plus || kind === space) left.now -= 1;
    } else {
      const line = bytes.toString("latin1", at, Math.min(next, at + 200));
      const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (hunk !== null) left = { old: Number(hunk[1] ?? 1), now: Number(hunk[2] ?? 1) };
      else if (line.startsWith("diff --git ")) starts.push(at);
    }
    at = next;
  }
  if (starts.length !== paths.length) {
    throw new Error(
      `the diff has ${starts.length} files, its changeset ${paths.length}; read it with plan diff`,
    );
  }
  return starts.map((start, index) => ({
    path: paths[index] ?? "",
    bytes: bytes.subarray(start, starts[index + 1] ?? bytes.length),
  }));
}

const minus = 0x2d;
const plus = 0x2b;
const space = 0x20;
