import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentState } from "../content/content-state.ts";
import { NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import type { Directory } from "./directory.ts";
import { directoryRef } from "./directory-ref.ts";
import { emptyTree } from "./empty-tree.ts";
import type { TreeStore } from "./tree-store.ts";

const file = contentState(Buffer.from("hello\n"), "100644");
const below: Directory = {
  entries: [{ kind: "file", name: "é\n\u{1d4b3}", file: { ...file, mode: "120000" } }],
};
const above: Directory = {
  entries: [
    { kind: "file", name: "a.b", file: { ...file, mode: "100755" } },
    { kind: "directory", name: "a", directory: directoryRef(below) },
    { kind: "file", name: "a0", file },
  ],
};

/** What every `TreeStore` must do; `open` makes an empty one, of a tenant of its own, for each test. */
export const treeStoreContract = (name: string, open: () => TreeStore | Promise<TreeStore>): void => {
  describe(`${name} as a TreeStore`, () => {
    it("gives back directories, git ids included, under the references it answered, in the order given", async () => {
      const store = await open();
      const refs = await store.put([below, above]);
      assert.deepEqual(refs, [directoryRef(below), directoryRef(above)]);
      assert.deepEqual(await store.get(directoryRef(below).sha256), below);
      assert.deepEqual(await store.get(directoryRef(above).sha256), above);
    });

    it("keeps the empty tree like any other directory", async () => {
      const store = await open();
      assert.deepEqual(await store.put([{ entries: [] }]), [emptyTree]);
      assert.deepEqual(await store.get(emptyTree.sha256), { entries: [] });
    });

    it("keeps a wide directory", async () => {
      const store = await open();
      const entries = Array.from({ length: 5_000 }, (_, index) => ({
        kind: "file" as const,
        name: `file-${String(index).padStart(6, "0")}`,
        file,
      }));
      const [ref] = await store.put([{ entries }]);
      assert.equal((await store.get(ref?.sha256 ?? "")).entries.length, 5_000);
    });

    it("throws NotFoundError for a directory that is not there", async () => {
      const store = await open();
      await assert.rejects(store.get(directoryRef(above).sha256), (error) => {
        return error instanceof NotFoundError && error.code === "not_found";
      });
    });

    it("keeps a directory once however often it is put", async () => {
      const store = await open();
      await store.put([below, below]);
      assert.deepEqual(await store.put([below]), [directoryRef(below)]);
      assert.deepEqual(await store.get(directoryRef(below).sha256), below);
    });

    it("says which hashes it lacks, in the order asked", async () => {
      const store = await open();
      await store.put([below]);
      const [here, gone] = [directoryRef(below).sha256, directoryRef(above).sha256];
      assert.deepEqual(await store.missing([gone, here, emptyTree.sha256]), [gone, emptyTree.sha256]);
      assert.deepEqual(await store.missing([]), []);
    });

    it("refuses a directory that is not well formed, and keeps none of the batch", async () => {
      const store = await open();
      const unsorted: Directory = { entries: above.entries.toReversed() };
      await assert.rejects(store.put([below, unsorted]), ValidationError);
      assert.deepEqual(await store.missing([directoryRef(below).sha256]), [directoryRef(below).sha256]);
    });
  });
};
