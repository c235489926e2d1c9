import { pairMoves } from "../changeset/pair-moves.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { FileState } from "../tree/file-state.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import { type DiffSide, fileDiff } from "./file-diff.ts";

/** The diff of one file, whole. `path` is where the file is, or was; a page may end behind any piece. */
export interface FileDiffPiece {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface TreeDiff {
  readonly differences: readonly TreeDifference[];
  /** Bytes by hash; asked for as the diff comes to them, two at a time. */
  readonly readContent: (sha256: string) => Promise<Uint8Array>;
  /** Begin behind this path: where the page before ended. Give the same differences for every page. */
  readonly after?: string;
}

/**
 * Pieces of a unified diff of two trees in byte order of their paths; all pieces together are what `git apply` takes. A
 * file whose content and mode went from one path to another is one piece, a rename, at its new path.
 */
export async function* treeDiff(diff: TreeDiff): AsyncGenerator<FileDiffPiece, void, undefined> {
  const moves = pairMoves(diff.differences);
  const moved = new Set(moves.values());
  const states = new Map(diff.differences.map((difference) => [difference.path, difference]));
  const side = async (state: FileState | undefined): Promise<DiffSide | null> =>
    state === undefined ? null : { mode: state.mode, bytes: await diff.readContent(state.sha256) };

  for (const { path, before, after } of diff.differences.toSorted((a, b) => byteOrder(a.path, b.path))) {
    if (moved.has(path) || (diff.after !== undefined && byteOrder(path, diff.after) <= 0)) continue;
    const oldPath = moves.get(path);
    const origin = oldPath === undefined ? before : states.get(oldPath)?.before;
    const [old, now] = await Promise.all([side(origin), side(after)]);
    const bytes = fileDiff({ path, before: old, after: now, ...(oldPath === undefined ? {} : { oldPath }) });
    if (bytes.byteLength > 0) yield { path, bytes };
  }
}
