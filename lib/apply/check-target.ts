import { changeKind } from "../changeset/change-kind.ts";
import { mapBounded } from "../content/map-bounded.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import type { ApplyConflict, NetChange } from "./net-change.ts";
import { isInTheWay, type TargetTree, targetTree } from "./target-tree.ts";

const pathsAtOnce = 16;

export interface TargetChanges {
  readonly trees: TreeStore;
  /** Root of the target's tree as it is now. */
  readonly root: string;
  readonly changes: readonly NetChange[];
}

/**
 * Compares what every change expects, absence included, with the target as it is now, and answers all conflicts in byte order
 * of the paths. A file may take the place of a directory, and a directory that of a file, when the same changes remove
 * everything that stands in the way. Loads directories along the touched paths only; changes nothing.
 */
export async function checkTarget(options: TargetChanges): Promise<readonly ApplyConflict[]> {
  const target = targetTree(options.trees, options.root);
  const removed = removedPaths(options.changes);
  const conflicts = await mapBounded(options.changes, pathsAtOnce, (change) =>
    conflictOf(target, change, removed),
  );
  return conflicts.filter((conflict) => conflict !== undefined).sort((a, b) => byteOrder(a.path, b.path));
}

/** The paths at which changes leave nothing. */
export function removedPaths(changes: readonly NetChange[]): ReadonlySet<string> {
  return new Set(changes.filter(({ after }) => after === null).map(({ path }) => path));
}

async function conflictOf(
  target: TargetTree,
  change: NetChange,
  removed: ReadonlySet<string>,
): Promise<ApplyConflict | undefined> {
  const { path, before: expected } = change;
  const found = await target.find(path);
  if (!isInTheWay(found)) {
    return changeKind(expected, found) === undefined ? undefined : { path, expected, found, reason: "moved" };
  }
  if (expected === null && (await target.hasRoom(path, found, removed))) return undefined;
  return { path, expected, found, reason: "blocked" };
}
