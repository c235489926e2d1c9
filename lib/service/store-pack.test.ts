import assert from "node:assert/strict";
import { test } from "node:test";
import { contentState } from "../content/content-state.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { memoryContentTransfer } from "../content/memory-content-transfer.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { storePack } from "./store-pack.ts";

const bytes = Buffer.from("many times");
const { sha256, sizeBytes, gitBlobId } = contentState(bytes, "100644");
const entry = (name: string, more: object = {}) => ({
  kind: "file" as const,
  name,
  mode: "100644" as const,
  sha256,
  sizeBytes,
  gitId: gitBlobId,
  ...more,
});

const storesThatCount = () => {
  const content = memoryContentStore();
  const reads: string[] = [];
  return {
    reads,
    stores: {
      content: {
        ...content,
        get: (address: string) => {
          reads.push(address);
          return content.get(address);
        },
      },
      trees: memoryTreeStore(),
      transfer: memoryContentTransfer(content),
    },
  };
};

test("content that a thousand entries name is read once", async () => {
  const { stores, reads } = storesThatCount();
  await stores.content.put([bytes]);
  const entries = Array.from({ length: 1000 }, (_, index) => entry(`f${String(index).padStart(4, "0")}`));
  const { directories } = await storePack(stores, { contents: [], directories: [{ entries }, { entries }] });
  assert.equal(directories.length, 2);
  assert.deepEqual(reads, [sha256]);
});

test("of entries that name the same content, the one that says something else of it is named", async () => {
  const { stores } = storesThatCount();
  await stores.content.put([bytes]);
  const entries = [entry("a"), entry("b", { sizeBytes: 1 })];
  await assert.rejects(storePack(stores, { contents: [], directories: [{ entries }] }), {
    code: "content_mismatch",
    field: "/directories/0/entries/1/sizeBytes",
  });
  await assert.rejects(
    storePack(stores, { contents: [bytes.toString("base64")], directories: [{ entries }] }),
    { code: "content_mismatch", field: "/directories/0/entries/1/sizeBytes" },
  );
});

for (const target of [".git/config", "a/.GIT.", "../git~1", "..\\.git", "/srv/app/.git/hooks"]) {
  test(`a directory with a link to ${JSON.stringify(target)} is refused, its content sent with it or before`, async () => {
    const { stores } = storesThatCount();
    const link = Buffer.from(target);
    const { sha256, sizeBytes, gitBlobId } = contentState(link, "120000");
    const entries = [entry("link", { mode: "120000", sha256, sizeBytes, gitId: gitBlobId })];
    const refusal = { code: "path_refused", field: "/directories/0/entries/0", message: /"link" leads into/ };
    const contents = [link.toString("base64")];
    await assert.rejects(storePack(stores, { contents, directories: [{ entries }] }), refusal);
    await storePack(stores, { contents, directories: [] });
    await assert.rejects(storePack(stores, { contents: [], directories: [{ entries }] }), refusal);
    await storePack(stores, {
      contents: [],
      directories: [{ entries: [entry("file", { sha256, sizeBytes, gitId: gitBlobId })] }],
    });
  });
}
