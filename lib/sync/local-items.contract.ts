import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itemContentSha256 } from "./item-content.ts";
import type { LocalItems } from "./local-items.ts";
import type { SyncItem } from "./sync-item.ts";
import { contractItem } from "./sync-transport.contract.ts";

export interface OpenedLocalItems {
  readonly local: LocalItems;
  /** Puts an item there as a person does, without a server id. */
  add(item: SyncItem): Promise<void>;
  /** Documents that `keepCopy` kept. */
  kept(): Promise<readonly SyncItem[]>;
}

const kind = "skills";
const item = contractItem("local/a");
const other = contractItem("local/a", "other");
const hash = itemContentSha256;
const note = { kind, id: "local/a", serverId: "res_1" } as const;
const overwriting = { kind, item: other, serverId: "res_1", keepCopy: false } as const;

/** The behaviour of every `LocalItems`, shown with skills. */
export function localItemsContract(name: string, open: () => Promise<OpenedLocalItems>): void {
  describe(`${name} as LocalItems`, () => {
    it("reads what is there, and loads it as it is", async () => {
      const { local, add } = await open();
      await add(item);
      const { entries, faults } = await local.read([kind]);
      assert.deepEqual(faults, []);
      const [entry] = entries;
      assert.ok(entry !== undefined && entries.length === 1);
      const { place, ...rest } = entry;
      assert.ok(place.length > 0);
      const expected = { kind, id: item.id, version: "1.0", contentSha256: hash(item), serverId: undefined };
      assert.deepEqual({ serverId: undefined, ...rest }, expected);
      const loaded = await local.load({ kind, id: item.id });
      assert.deepEqual(loaded?.item, item);
      assert.deepEqual(loaded?.entry, entry);
      assert.equal(await local.load({ kind, id: "local/b" }), undefined);
      assert.deepEqual((await local.read(["tools"])).entries, []);
    });

    it("notes the server's id and changes no content by it", async () => {
      const { local, add } = await open();
      await add(item);
      assert.equal(await local.writeServerId(note), "written");
      const [entry] = (await local.read([kind])).entries;
      assert.deepEqual([entry?.serverId, entry?.contentSha256], ["res_1", hash(item)]);
      assert.equal(await local.writeServerId({ ...note, serverId: "res_2" }), "written");
      assert.equal((await local.read([kind])).entries[0]?.serverId, "res_2");
      assert.equal(await local.writeServerId({ ...note, id: "local/gone" }), "changed");
    });

    it("writes a new item with its server id, and none where one stands unexpectedly", async () => {
      const { local } = await open();
      const change = { kind, item, serverId: "res_1", expectedSha256: undefined, keepCopy: false } as const;
      assert.equal(await local.write(change), "written");
      const [entry] = (await local.read([kind])).entries;
      assert.deepEqual([entry?.contentSha256, entry?.serverId], [hash(item), "res_1"]);
      assert.equal(await local.write({ ...overwriting, expectedSha256: undefined }), "changed");
      assert.deepEqual((await local.load({ kind, id: item.id }))?.item, item);
    });

    it("overwrites what it is expected to, and nothing else", async () => {
      const { local, add, kept } = await open();
      await add(item);
      assert.equal(await local.write({ ...overwriting, expectedSha256: hash(other) }), "changed");
      assert.deepEqual((await local.load({ kind, id: item.id }))?.item, item);
      assert.equal(await local.write({ ...overwriting, expectedSha256: hash(item) }), "written");
      assert.deepEqual((await local.load({ kind, id: item.id }))?.item, other);
      assert.deepEqual(await kept(), []);
      const missing = { ...overwriting, item: contractItem("local/gone"), expectedSha256: hash(item) };
      assert.equal(await local.write(missing), "changed");
      assert.equal((await local.read([kind])).entries.length, 1);
    });

    it("keeps a copy of what it overwrites or deletes when it is told to", async () => {
      const { local, add, kept } = await open();
      await add(item);
      await local.write({ ...overwriting, expectedSha256: hash(item), keepCopy: true });
      assert.deepEqual((await kept()).map(hash), [hash(item)]);
      await local.remove({ kind, id: item.id, expectedSha256: hash(other), keepCopy: true });
      assert.deepEqual((await kept()).map(hash).sort(), [hash(item), hash(other)].sort());
    });

    it("deletes what it is expected to, and takes what is gone as deleted", async () => {
      const { local, add } = await open();
      await add(item);
      await add(contractItem("local/b"));
      const removal = { kind, id: item.id, keepCopy: false } as const;
      assert.equal(await local.remove({ ...removal, expectedSha256: hash(other) }), "changed");
      assert.equal((await local.read([kind])).entries.length, 2);
      assert.equal(await local.remove({ ...removal, expectedSha256: hash(item) }), "written");
      assert.equal(await local.remove({ ...removal, expectedSha256: hash(item) }), "written");
      assert.deepEqual(
        (await local.read([kind])).entries.map(({ id }) => id),
        ["local/b"],
      );
    });
  });
}
