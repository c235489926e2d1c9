import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { contentState } from "../content/content-state.ts";
import type { ContentStore } from "../content/content-store.ts";
import { buildTree } from "./build-tree.ts";
import type { DirectoryRef } from "./directory.ts";
import type { FileMode } from "./file-state.ts";
import type { TreeStore } from "./tree-store.ts";

/** A whole tree as plain data, for tests. */
export interface TestFile {
  readonly mode: FileMode;
  readonly bytes: Uint8Array;
}
export type FileTree = ReadonlyMap<string, TestFile>;

/** The tree with a file at a path; files above it and a directory in its place give way. */
export const withFile = (tree: FileTree, path: string, file: TestFile): FileTree => {
  const kept = [...tree].filter(
    ([other]) => other !== path && !other.startsWith(`${path}/`) && !path.startsWith(`${other}/`),
  );
  return new Map([...kept, [path, file]]);
};

export const withoutFile = (tree: FileTree, path: string): FileTree =>
  new Map([...tree].filter(([other]) => other !== path));

/** Writes the tree into a directory. */
export const writeFileTree = async (directory: string, tree: FileTree): Promise<void> => {
  for (const [path, { mode, bytes }] of tree) {
    const target = join(directory, path);
    await mkdir(dirname(target), { recursive: true });
    if (mode === "120000") {
      await symlink(Buffer.from(bytes), target);
    } else {
      await writeFile(target, bytes);
      await chmod(target, mode === "100755" ? 0o755 : 0o644);
    }
  }
};

/** Puts the tree's contents and directories; returns its root. */
export const storeFileTree = async (
  stores: { readonly contents: ContentStore; readonly trees: TreeStore },
  tree: FileTree,
): Promise<DirectoryRef> => {
  await stores.contents.put([...tree.values()].map((file) => file.bytes));
  return buildTree(
    stores.trees,
    [...tree].map(([path, { mode, bytes }]) => ({ path, file: contentState(bytes, mode) })),
  );
};
