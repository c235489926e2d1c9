import { ConflictError } from "../errors/planledger-error.ts";
import type { DirectoryRef } from "../tree/directory.ts";
import { editTree } from "../tree/edit-tree.ts";
import { checkTarget, type TargetChanges } from "./check-target.ts";

const listedConflicts = 20;

/**
 * The target's tree with the changes made; new directories are put, contents must be there already. It checks the target
 * again by itself: changes that do not fit are a `ConflictError` (`target_moved`, the conflicts in its details), and nothing
 * is put.
 */
export async function applyToTree(options: TargetChanges): Promise<DirectoryRef> {
  const conflicts = await checkTarget(options);
  const [first] = conflicts;
  if (first !== undefined) {
    throw new ConflictError({
      code: "target_moved",
      message: `The target is not what the changeset was made on: ${conflicts.length} of ${options.changes.length} paths are in its way, ${JSON.stringify(first.path)} the first. Nothing was changed.`,
      details: { conflicts: conflicts.slice(0, listedConflicts), conflictCount: conflicts.length },
    });
  }
  const edits = options.changes.map(({ path, after }) => [path, after ?? undefined] as const);
  return editTree(options.trees, options.root, new Map(edits));
}
