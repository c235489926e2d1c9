import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeKind } from "../changeset/change-kind.ts";
import { mapBounded } from "../content/map-bounded.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { type ContentLookup, storedContent } from "../workspace/stored-content.ts";
import { checkResource } from "./check-resource.ts";
import { removedPaths } from "./check-target.ts";
import type { MergeChangeset } from "./derived-changeset.ts";
import { derivedDigest } from "./derived-digest.ts";
import { mergePath } from "./merge-path.ts";
import type { ApplyConflict } from "./net-change.ts";
import { netEntries } from "./net-entries.ts";
import { isInTheWay, type TargetTree, targetTree } from "./target-tree.ts";

const pathsAtOnce = 8;

/** What deriving gives: a changeset together with the content that it makes (to be stored first), or all that is in its way. */
export type Derivation<Changeset> =
  | {
      readonly status: "derived";
      readonly changeset: Changeset;
      readonly newContents: ReadonlyMap<string, Uint8Array>;
    }
  | { readonly status: "conflicts"; readonly conflicts: readonly ApplyConflict[] };

export interface MergeOptions {
  readonly planId: string;
  /** Digest of the changeset that is merged. */
  readonly of: string;
  /** Its entries, in order. */
  readonly entries: Iterable<ChangeEntry>;
  /** The resource that is written, and the root of its target's tree as it is now. */
  readonly target: { readonly resource: string; readonly tree: string };
  readonly trees: TreeStore;
  readonly content: ContentLookup;
}

/**
 * Merges a changeset onto a target that moved, path by path and without renames: a path that stands as the changeset expects
 * takes what comes after; one that is so already, or where nothing stands any more that was to be removed, stays out; what
 * both changed is merged (`mergePath`). The result has one entry a path, with the decision and call of its last writer. Either
 * everything merges, or all conflicts are answered and nothing else.
 */
export async function deriveMerge(options: MergeOptions): Promise<Derivation<MergeChangeset>> {
  const { planId, of, trees, content } = options;
  const { resource, tree } = options.target;
  const entries = [...options.entries];
  checkResource(entries, resource);
  const net = netEntries(entries, resource);
  const removed = removedPaths(net);
  const target = targetTree(trees, tree);
  const read = (sha256: string): Promise<Uint8Array> => storedContent(content, sha256);
  const merged = await mapBounded(net, pathsAtOnce, (entry) => mergeEntry({ entry, target, removed, read }));
  const conflicts = merged.flatMap((result) => result.conflicts).sort((a, b) => byteOrder(a.path, b.path));
  if (conflicts.length > 0) return { status: "conflicts", conflicts };
  const base = { kind: "merge" as const, planId, of, baseTrees: { [resource]: tree } };
  const unsealed = { ...base, entries: merged.flatMap((result) => result.entries) };
  return {
    status: "derived",
    changeset: { v: 1, ...unsealed, digest: derivedDigest(unsealed) },
    newContents: new Map(merged.flatMap((result) => result.newContents)),
  };
}

interface MergedEntry {
  readonly entries: readonly ChangeEntry[];
  readonly conflicts: readonly ApplyConflict[];
  readonly newContents: readonly (readonly [string, Uint8Array])[];
}

const nothing: MergedEntry = { entries: [], conflicts: [], newContents: [] };

async function mergeEntry(options: {
  readonly entry: ChangeEntry;
  readonly target: TargetTree;
  readonly removed: ReadonlySet<string>;
  readonly read: (sha256: string) => Promise<Uint8Array>;
}): Promise<MergedEntry> {
  const { entry, target, removed, read } = options;
  const { path, before, after } = entry;
  const found = await target.find(path);
  const conflict = (reason: ApplyConflict["reason"]): MergedEntry => ({
    ...nothing,
    conflicts: [{ path, expected: before, found, reason }],
  });
  if (isInTheWay(found)) {
    if (after === null) return nothing;
    const fits = before === null && (await target.hasRoom(path, found, removed));
    return fits ? { ...nothing, entries: [entry] } : conflict("blocked");
  }
  const merge = await mergePath(entry, found, read);
  if (!merge.clean) return conflict(merge.reason);
  const kind = changeKind(found, merge.state);
  if (kind === undefined) return nothing;
  return {
    ...nothing,
    entries: [{ ...entry, kind, before: found, after: merge.state }],
    newContents:
      merge.newContent === undefined || merge.state === null ? [] : [[merge.state.sha256, merge.newContent]],
  };
}
