import assert from "node:assert/strict";
import { test } from "node:test";
import { treeDirectories } from "../client/tree-directories.ts";
import { contentSha256, contentState } from "../content/content-state.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { memoryContentTransfer } from "../content/memory-content-transfer.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import type { TreeSource } from "../source/source-side.ts";
import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { walkTree } from "../tree/walk-tree.ts";
import { bringTree } from "./bring-tree.ts";

const signal = new AbortController().signal;
const newStores = () => {
  const content = memoryContentStore();
  return { content, trees: memoryTreeStore(), transfer: memoryContentTransfer(content) };
};

/** A place that has these files, and tells what it was asked for. */
async function place(files: Readonly<Record<string, string>>) {
  const bytes = new Map(
    Object.values(files).map((text) => [contentSha256(Buffer.from(text)), Buffer.from(text)]),
  );
  const tree = await treeDirectories(
    Object.entries(files).map(([path, text]) => ({ path, file: contentState(Buffer.from(text), "100644") })),
  );
  const directories = new Map(tree.directories.map((one) => [directoryRef(one).sha256, one]));
  const asked: string[] = [];
  const from: TreeSource = {
    async directory(sha256) {
      asked.push("directory");
      return directories.get(sha256) ?? { entries: [] };
    },
    async content(sha256) {
      asked.push("content");
      return bytes.get(sha256) ?? Buffer.from("something else");
    },
  };
  return { from, root: tree.root.sha256, asked, directories, bytes };
}

const pathsOf = async (stores: ReturnType<typeof newStores>, root: string) => {
  const paths: string[] = [];
  for await (const { path } of walkTree(stores.trees, root)) paths.push(path);
  return paths;
};

test("a tree comes whole, and of a changed one only what is missing", async () => {
  const stores = newStores();
  const first = await place({ "a/b/one": "1", "a/two": "2", "c/three": "3" });
  await bringTree(stores, first.from, { sha256: first.root, signal });
  assert.deepEqual(await pathsOf(stores, first.root), ["a/b/one", "a/two", "c/three"]);
  assert.equal(first.asked.length, 4 + 3);

  const second = await place({ "a/b/one": "1", "a/two": "2", "c/three": "changed" });
  await bringTree(stores, second.from, { sha256: second.root, signal });
  assert.deepEqual(second.asked.toSorted(), ["content", "directory", "directory"]);
  await bringTree(stores, second.from, { sha256: second.root, signal });
  assert.equal(second.asked.length, 3);
});

test("a tree that is broken off anywhere goes on where it was, and no root is known without its tree", async () => {
  for (let calls = 0; calls < 6; calls += 1) {
    const stores = newStores();
    const { from, root, asked } = await place({ "a/b/one": "1", "a/two": "2", "c/three": "3" });
    const ending = new AbortController();
    const dying: TreeSource = {
      directory: async (sha256) => {
        if (asked.length >= calls) ending.abort(new Error("over"));
        return from.directory(sha256);
      },
      content: async (sha256) => {
        if (asked.length >= calls) ending.abort(new Error("over"));
        return from.content(sha256);
      },
    };
    await assert.rejects(bringTree(stores, dying, { sha256: root, signal: ending.signal }), /over/);
    assert.deepEqual(await stores.trees.missing([root]), [root]);
    await bringTree(stores, from, { sha256: root, signal });
    assert.deepEqual(await pathsOf(stores, root), ["a/b/one", "a/two", "c/three"]);
  }
});

test("files are fetched no further than the first that is larger than its tree says", async () => {
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, `${index}`]));
  const { from, root, asked } = await place(files);
  const swollen: TreeSource = {
    directory: from.directory,
    async content(sha256) {
      await from.content(sha256);
      return Buffer.alloc(1_000);
    },
  };
  const brought = bringTree(newStores(), swollen, { sha256: root, signal });
  await assert.rejects(brought, { code: "content_mismatch", field: "sizeBytes" });
  assert.ok(asked.length < 20, `${asked.length}`);
});

test("what no upload may hold is refused from elsewhere too: names, sizes, contents that are others", async () => {
  const good = await place({ file: "x" });
  const entry = good.directories.get(good.root)?.entries[0];
  assert.ok(entry?.kind === "file");
  const refused = async (directory: Directory) => {
    const stores = newStores();
    const { sha256 } = directoryRef(directory);
    const from = { directory: async () => directory, content: good.from.content };
    await assert.rejects(bringTree(stores, from, { sha256, signal }), ValidationError);
    assert.deepEqual(await stores.trees.missing([sha256]), [sha256]);
  };
  await refused({ entries: [{ ...entry, name: ".git" }] });
  await refused({ entries: [{ ...entry, name: "../out" }] });
  await refused({ entries: [{ ...entry, file: { ...entry.file, sizeBytes: 2 } }] });
  await refused({ entries: [{ ...entry, file: { ...entry.file, gitBlobId: "0".repeat(40) } }] });
  await refused({ entries: [{ ...entry, file: { ...entry.file, sha256: "1".repeat(64) } }] });
});
