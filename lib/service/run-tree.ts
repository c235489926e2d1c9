import { mapBounded } from "../content/map-bounded.ts";
import type { PinnedResource } from "../plan/compiled-plan.ts";
import type { RunState } from "../run/run-state.ts";
import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { editTree } from "../tree/edit-tree.ts";
import { lookupPath } from "../tree/lookup-path.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import type { TreeStore } from "../tree/tree-store.ts";

const lookupsAtOnce = 16;

/** What a run (and those before it) left of a resource against its pinned base; paths in no order, equal ones left out. */
export const runDifferences = async (
  trees: TreeStore,
  state: RunState,
  { name, baseTree }: PinnedResource,
): Promise<readonly TreeDifference[]> => {
  const changed = [...(state.overlay.get(name) ?? [])];
  const differences = await mapBounded(changed, lookupsAtOnce, async ([path, { file }]) => {
    const node = await lookupPath(trees, baseTree, path);
    const before = node?.kind === "file" ? node.file : undefined;
    const after = file ?? undefined;
    const same = before?.sha256 === after?.sha256 && before?.mode === after?.mode;
    return same ? [] : [{ path, before, after }];
  });
  return differences.flat();
};

/** Git's tree id of a resource as a run left it. Nothing is written. */
export const runGitTreeId = async (
  trees: TreeStore,
  state: RunState,
  { name, baseTree }: PinnedResource,
): Promise<string> => {
  const edits = new Map(
    [...(state.overlay.get(name) ?? [])].map(([path, { file }]) => [path, file ?? undefined]),
  );
  return (await editTree(unwrittenTrees(trees), baseTree, edits)).gitTreeId;
};

/** Trees that are read from a store, and kept here in place of being put. */
const unwrittenTrees = (trees: TreeStore): TreeStore => {
  const kept = new Map<string, Directory>();
  return {
    get: async (sha256) => kept.get(sha256) ?? trees.get(sha256),
    async put(directories) {
      const refs = directories.map(directoryRef);
      for (const [index, { sha256 }] of refs.entries()) {
        const directory = directories[index];
        if (directory !== undefined) kept.set(sha256, directory);
      }
      return refs;
    },
    missing: (sha256s) => trees.missing(sha256s),
  };
};
