import { byteOrder } from "../tree/byte-order.ts";
import type { FileState } from "../tree/file-state.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import type { ChangeEntry } from "./change-entry.ts";
import { changeKind } from "./change-kind.ts";

/**
 * What the entries of one resource come to in the end: for each path its first state before and its last state after, paths
 * in byte order, those left out that ended as they began. A diff of these is the diff of the base and the result.
 */
export function netChanges(entries: readonly ChangeEntry[], resource: string): readonly TreeDifference[] {
  const ends = new Map<string, { readonly before: FileState | null; readonly after: FileState | null }>();
  for (const entry of entries) {
    if (entry.resource === resource) {
      ends.set(entry.path, { before: (ends.get(entry.path) ?? entry).before, after: entry.after });
    }
  }
  return [...ends]
    .filter(([, { before, after }]) => changeKind(before, after) !== undefined)
    .map(([path, { before, after }]) => ({ path, before: before ?? undefined, after: after ?? undefined }))
    .sort((a, b) => byteOrder(a.path, b.path));
}
