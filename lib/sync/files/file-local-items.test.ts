import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";
import { localItemsContract } from "../local-items.contract.ts";
import { syncBaseStoreContract } from "../sync-base-store.contract.ts";
import type { SyncItem } from "../sync-item.ts";
import { fileLocalItems } from "./file-local-items.ts";
import { fileSyncBaseStore } from "./file-sync-base-store.ts";
import { readItemFile } from "./item-file.ts";
import { noProjectTrees } from "./project-trees.ts";
import { scratchDirectory } from "./scratch-directory.testkit.ts";

const directory = scratchDirectory();
after(directory.remove);

localItemsContract("fileLocalItems", async () => {
  const root = await directory.make();
  return {
    local: fileLocalItems({ root }),
    add: async (item) => {
      const { instructions, id, version, metadata, ...frontMatter } = item;
      const document = { ...frontMatter, metadata: { ...metadata, id, version } };
      const text = `---\n${JSON.stringify(document)}\n---\n\n${String(instructions)}`;
      await directory.put(root, { [`skills/${id.replace("/", "-")}/SKILL.md`]: text });
    },
    async kept() {
      const kept: SyncItem[] = [];
      for (const path of await readdir(join(root, ".planledger"), { recursive: true }).catch(() => [])) {
        if (!path.endsWith(`${sep}SKILL.md`)) continue;
        const bytes = await readFile(join(root, ".planledger", path));
        const read = await readItemFile(
          { kind: "skills", path: path.replaceAll(sep, "/"), bytes },
          noProjectTrees,
        );
        if (read.status === "item") kept.push(read.item);
      }
      return kept;
    },
  };
});

syncBaseStoreContract("fileSyncBaseStore", async () => {
  const root = await directory.make();
  const open = () => fileSyncBaseStore({ root, url: "http://127.0.0.1:7070", onDamaged: () => undefined });
  return { store: open(), reopen: async () => open() };
});

test("documents are not held while items are read: 120 MB of them pass through a heap of 48", async () => {
  const entry = new URL("read-in-small-heap.testkit.ts", import.meta.url);
  const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: 48 } });
  const [read] = await once(worker, "message");
  assert.equal(read, 120);
});
