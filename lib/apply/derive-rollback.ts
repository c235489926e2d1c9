import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeKind } from "../changeset/change-kind.ts";
import { mapBounded } from "../content/map-bounded.ts";
import { PlanError } from "../errors/planledger-error.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import { byteOrder } from "../tree/byte-order.ts";
import { compareTrees } from "../tree/compare-trees.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { checkResource } from "./check-resource.ts";
import { removedPaths } from "./check-target.ts";
import type { Derivation } from "./derive-merge.ts";
import type { RollbackChangeset } from "./derived-changeset.ts";
import { derivedDigest } from "./derived-digest.ts";
import { externalEffects } from "./external-effects.ts";
import type { ApplyConflict } from "./net-change.ts";
import { netEntries } from "./net-entries.ts";
import { isInTheWay, type TargetTree, targetTree } from "./target-tree.ts";

const pathsAtOnce = 16;

export interface RollbackOptions {
  readonly planId: string;
  /** Digest of the applied changeset that is undone, derived or not. */
  readonly undoes: string;
  /** Its entries, in order. */
  readonly entries: Iterable<ChangeEntry>;
  /** Roots of the project's tree in the revision that the apply made, and in the one before. */
  readonly revision: { readonly before: string; readonly after: string };
  /** The resource that was written, and the root of its target's tree as it is now. */
  readonly target: { readonly resource: string; readonly tree: string };
  readonly trees: TreeStore;
  /** The decisions of the runs whose changeset it is, whatever became of them. */
  readonly decisions: Iterable<Pick<DecisionRecord, "decisionId" | "calls">>;
  readonly isExternal: (tool: string) => boolean;
}

/**
 * The way from the revision after an apply to the one before it, in the target as it is now: paths that later work left alone
 * go back, one that is back already stays out. Where later work stands on what was applied (the path differs from both, or
 * something took its place), that is a conflict, and nothing is derived. Entries keep the decision and call of the last writer.
 * Entries that do not tell the difference of the two revisions are an `internal` error: they are not what was applied.
 */
export async function deriveRollback(options: RollbackOptions): Promise<Derivation<RollbackChangeset>> {
  const { planId, undoes, trees, revision } = options;
  const { resource, tree } = options.target;
  const applied = [...options.entries];
  checkResource(applied, resource);
  const net = netEntries(applied, resource);
  await checkRevision(trees, revision, net);
  const inverse = net.map(inverseEntry);
  const removed = removedPaths(inverse);
  const target = targetTree(trees, tree);
  const undone = await mapBounded(inverse, pathsAtOnce, (entry) => undoEntry(target, entry, removed));
  const conflicts = undone.flatMap((one) => (one !== undefined && "reason" in one ? [one] : []));
  if (conflicts.length > 0) {
    return { status: "conflicts", conflicts: conflicts.sort((a, b) => byteOrder(a.path, b.path)) };
  }
  const entries = undone.flatMap((one) => (one !== undefined && "kind" in one ? [one] : []));
  const base = { kind: "rollback" as const, planId, of: undoes, baseTrees: { [resource]: tree } };
  const unsealed = { ...base, entries };
  return {
    status: "derived",
    changeset: {
      v: 1,
      ...unsealed,
      undoes,
      externalEffects: externalEffects(options.decisions, options.isExternal),
      digest: derivedDigest(unsealed),
    },
    newContents: new Map(),
  };
}

function inverseEntry(entry: ChangeEntry): ChangeEntry {
  const kind = changeKind(entry.after, entry.before) ?? entry.kind;
  return { ...entry, kind, before: entry.after, after: entry.before };
}

/** The entry that undoes a path, `undefined` where nothing is left to do, or what is in its way. */
async function undoEntry(
  target: TargetTree,
  entry: ChangeEntry,
  removed: ReadonlySet<string>,
): Promise<ChangeEntry | ApplyConflict | undefined> {
  const { path, before: expected, after } = entry;
  const found = await target.find(path);
  if (isInTheWay(found)) {
    if (expected === null && (await target.hasRoom(path, found, removed))) return entry;
    return { path, expected, found, reason: "blocked" };
  }
  if (changeKind(found, expected) === undefined) return entry;
  if (changeKind(found, after) === undefined) return undefined;
  return { path, expected, found, reason: "moved" };
}

async function checkRevision(
  trees: TreeStore,
  revision: { readonly before: string; readonly after: string },
  net: readonly ChangeEntry[],
): Promise<void> {
  const differences = await compareTrees(trees, revision.before, revision.after);
  const told = differences.every(({ path, before, after }, index) => {
    const entry = net[index];
    return (
      entry?.path === path &&
      changeKind(entry.before, before) === undefined &&
      changeKind(entry.after, after) === undefined
    );
  });
  if (told && differences.length === net.length) return;
  throw new PlanError({
    code: "internal",
    message: `The changeset does not tell the difference of the two revisions (${net.length} paths, ${differences.length} found), so it cannot be undone by it.`,
    details: { ...revision, paths: net.length, found: differences.length },
  });
}
