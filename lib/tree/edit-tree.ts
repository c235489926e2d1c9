import { ValidationError } from "../errors/planledger-error.ts";
import type { Directory, DirectoryEntry, DirectoryRef } from "./directory.ts";
import { entryOrder } from "./directory-order.ts";
import { directoryRef } from "./directory-ref.ts";
import { emptyDirectory, emptyTree } from "./empty-tree.ts";
import type { FileState } from "./file-state.ts";
import { loadDirectory } from "./load-directory.ts";
import { checkPath } from "./path-rules.ts";
import type { TreeStore } from "./tree-store.ts";

/** The new state of a path by path: a file, or `undefined` for nothing (a directory that stands there goes too). */
export type TreeEdits = ReadonlyMap<string, FileState | undefined>;

/**
 * The tree that comes out of setting every edited path, whatever stood there or above it before, whichever order the map
 * has; an edit below another's path holds beside it (`a` gone and `a/b` a file: `a` is a directory with `b` alone).
 * Directories left empty vanish. Loads and puts only directories along the edited paths, the new ones in one `put`, children
 * before parents. Throws `ValidationError` for a refused path, or when two edits put a file at a path and below it.
 */
export const editTree = async (
  store: TreeStore,
  rootSha256: string,
  edits: TreeEdits,
): Promise<DirectoryRef> => {
  const made: Directory[] = [];
  const root = await editDirectory({ store, made }, rootSha256, editNode(edits));
  const ref = directoryRef(root);
  if (root.entries.length === 0) made.push(emptyDirectory);
  if (ref.sha256 !== rootSha256 && made.length > 0) await store.put(made);
  return ref;
};

/** The edits at and below one path. */
interface EditNode {
  /** Set when this very path is edited. */
  edit?: { readonly file: FileState | undefined };
  readonly below: Map<string, EditNode>;
}

const editNode = (edits: TreeEdits): EditNode => {
  const root: EditNode = { below: new Map() };
  for (const [path, file] of edits) {
    checkPath(path);
    let node = root;
    for (const name of path.split("/")) {
      if (file !== undefined && node.edit?.file !== undefined) throw fileAndDirectory(path);
      const known = node.below.get(name);
      const child: EditNode = known ?? { below: new Map() };
      if (known === undefined) node.below.set(name, child);
      node = child;
    }
    node.edit = { file };
    if (file !== undefined && holdsFile(node.below)) throw fileAndDirectory(path);
  }
  return root;
};

const holdsFile = (below: ReadonlyMap<string, EditNode>): boolean =>
  [...below.values()].some((node) => node.edit?.file !== undefined || holdsFile(node.below));

const fileAndDirectory = (path: string): ValidationError =>
  new ValidationError({
    field: "path",
    message: `The path ${JSON.stringify(path)} and one above or below it are both files; one of them must go.`,
    details: { path },
  });

interface Edit {
  readonly store: TreeStore;
  /** New directories so far, children before parents. */
  readonly made: Directory[];
}

const editDirectory = async (edit: Edit, sha256: string, node: EditNode): Promise<Directory> => {
  const before = await loadDirectory(edit.store, sha256);
  const entries = new Map(before.entries.map((entry) => [entry.name, entry]));
  const edited = await Promise.all(
    [...node.below].map(async ([name, child]) => ({
      name,
      entry: await editEntry({ ...edit, name }, entries.get(name), child),
    })),
  );
  if (edited.every(({ name, entry }) => sameEntry(entries.get(name), entry))) return before;
  for (const { name, entry } of edited) {
    if (entry === undefined) entries.delete(name);
    else entries.set(name, entry);
  }
  const after: Directory = { entries: [...entries.values()].sort(entryOrder) };
  if (after.entries.length > 0) edit.made.push(after);
  return after;
};

const editEntry = async (
  edit: Edit & { readonly name: string },
  before: DirectoryEntry | undefined,
  node: EditNode,
): Promise<DirectoryEntry | undefined> => {
  const { name } = edit;
  if (node.edit?.file !== undefined) return { kind: "file", name, file: node.edit.file };
  if (node.below.size === 0) return undefined;
  const below = before?.kind === "directory" && node.edit === undefined ? before.directory.sha256 : undefined;
  const after = await editDirectory(edit, below ?? emptyTree.sha256, node);
  if (after.entries.length > 0) return { kind: "directory", name, directory: directoryRef(after) };
  // Nothing below is left to stand, but removals below a file leave the file.
  return before?.kind === "file" && node.edit === undefined ? before : undefined;
};

const sameEntry = (a: DirectoryEntry | undefined, b: DirectoryEntry | undefined): boolean => {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === "directory") return b.kind === "directory" && a.directory.sha256 === b.directory.sha256;
  return b.kind === "file" && a.file.sha256 === b.file.sha256 && a.file.mode === b.file.mode;
};
