import { byteOrder } from "./byte-order.ts";
import type { DirectoryEntry } from "./directory.ts";
import { entryKey } from "./directory-order.ts";
import { emptyTree } from "./empty-tree.ts";
import { loadDirectory } from "./load-directory.ts";
import type { TreeDifference } from "./tree-difference.ts";
import type { TreeStore } from "./tree-store.ts";

/**
 * Every path that differs between two trees, in byte order. Subtrees with equal hashes are not loaded. A file that became a
 * directory is a difference at its path and one for each file below.
 */
export const compareTrees = async (
  store: TreeStore,
  beforeSha256: string,
  afterSha256: string,
): Promise<readonly TreeDifference[]> => {
  const differences: TreeDifference[] = [];
  const compare = async (beforeHash: string, afterHash: string, prefix: string): Promise<void> => {
    if (beforeHash === afterHash) return;
    const [before, after] = await Promise.all([
      loadDirectory(store, beforeHash),
      loadDirectory(store, afterHash),
    ]);
    for (const [left, right] of pairEntries(before.entries, after.entries)) {
      const path = prefix + (left ?? right)?.name;
      if (left?.kind === "directory" || right?.kind === "directory") {
        await compare(subtreeHash(left), subtreeHash(right), `${path}/`);
      } else if (!sameFile(left, right)) {
        differences.push({ path, before: left?.file, after: right?.file });
      }
    }
  };
  await compare(beforeSha256, afterSha256, "");
  return differences;
};

type EntryPair = readonly [DirectoryEntry | undefined, DirectoryEntry | undefined];

/** Merges two sorted lists by key; a file and a directory of one name have different keys, and are no pair. */
function* pairEntries(
  before: readonly DirectoryEntry[],
  after: readonly DirectoryEntry[],
): Generator<EntryPair, void, undefined> {
  let left = 0;
  let right = 0;
  while (left < before.length || right < after.length) {
    const a = before[left];
    const b = after[right];
    const order = a === undefined ? 1 : b === undefined ? -1 : byteOrder(entryKey(a), entryKey(b));
    if (order <= 0) left += 1;
    if (order >= 0) right += 1;
    yield [order <= 0 ? a : undefined, order >= 0 ? b : undefined];
  }
}

const subtreeHash = (entry: DirectoryEntry | undefined): string =>
  entry?.kind === "directory" ? entry.directory.sha256 : emptyTree.sha256;

type FileEntry = Extract<DirectoryEntry, { kind: "file" }>;
const sameFile = (a: FileEntry | undefined, b: FileEntry | undefined): boolean =>
  a?.file.sha256 === b?.file.sha256 && a?.file.mode === b?.file.mode;
