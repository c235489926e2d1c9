import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeKind } from "../changeset/change-kind.ts";
import { contentState } from "../content/content-state.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { DirectoryRef } from "../tree/directory.ts";
import type { FileState } from "../tree/file-state.ts";
import { type FileTree, storeFileTree, type TestFile } from "../tree/file-tree.testkit.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { memoryStores } from "./landed-decisions.testkit.ts";

export const stateOf = (file: TestFile | undefined): FileState | null =>
  file === undefined ? null : contentState(file.bytes, file.mode);

export const sameFile = (a: TestFile | undefined, b: TestFile | undefined): boolean =>
  changeKind(stateOf(a), stateOf(b)) === undefined;

/** What one decision, `d1`, with one call must have changed in `app` to make one tree of another; in path order. */
export function entriesBetween(before: FileTree, after: FileTree): readonly ChangeEntry[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort(byteOrder);
  return paths.flatMap((path) => {
    const states = { before: stateOf(before.get(path)), after: stateOf(after.get(path)) };
    const kind = changeKind(states.before, states.after);
    return kind === undefined
      ? []
      : [{ decisionId: "d1", callOrdinal: 0, resource: "app", path, kind, ...states }];
  });
}

/** The paths of a tree that bar a file from standing at this one: above it, or below it. */
export const barring = (tree: FileTree, path: string): readonly string[] =>
  [...tree.keys()].filter((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));

/** Stores that hold these trees with their content, a count of what is put since, and the trees' roots. */
export async function storedTrees<Name extends string>(named: Readonly<Record<Name, FileTree>>) {
  const stores = memoryStores();
  const roots = new Map<string, DirectoryRef>();
  for (const [name, tree] of Object.entries<FileTree>(named)) {
    roots.set(name, await storeFileTree(stores, tree));
  }
  let puts = 0;
  const trees: TreeStore = {
    ...stores.trees,
    put(directories) {
      puts += 1;
      return stores.trees.put(directories);
    },
  };
  const root = (name: Name): DirectoryRef => {
    const ref = roots.get(name);
    if (ref === undefined) throw new TypeError(`no tree ${name}`);
    return ref;
  };
  return { trees, content: stores.contents, root, puts: () => puts };
}
