import { byteOrder } from "../tree/byte-order.ts";
import type { FileState } from "../tree/file-state.ts";

/** A change as far as moves are concerned; `null` or `undefined` is absence. */
export interface PairedChange {
  readonly path: string;
  readonly before: FileState | null | undefined;
  readonly after: FileState | null | undefined;
}

/**
 * Moves among the changes of one call to one resource, as path moved to → path moved from: the same content and mode gone
 * from one path and come to another. Where several fit, the first path gone is paired with the first come, in path order.
 */
export const pairMoves = (changes: readonly PairedChange[]): ReadonlyMap<string, string> => {
  const gone = new Map<string, string[]>();
  const inOrder = changes.toSorted((a, b) => byteOrder(a.path, b.path));
  for (const { path, before, after } of inOrder) {
    if (!before || after) continue;
    const paths = gone.get(contentKey(before));
    if (paths === undefined) gone.set(contentKey(before), [path]);
    else paths.push(path);
  }
  const used = new Map<string, number>();
  const moves = new Map<string, string>();
  for (const { path, before, after } of inOrder) {
    if (before || !after) continue;
    const key = contentKey(after);
    const next = used.get(key) ?? 0;
    const from = gone.get(key)?.[next];
    if (from === undefined) continue;
    moves.set(path, from);
    used.set(key, next + 1);
  }
  return moves;
};

const contentKey = (state: FileState): string => `${state.mode} ${state.sha256}`;
