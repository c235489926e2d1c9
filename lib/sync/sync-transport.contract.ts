import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { itemContentSha256 } from "./item-content.ts";
import type { SyncItem } from "./sync-item.ts";
import type { SyncRow, SyncTransport, SyncWrite, SyncWriteResult } from "./sync-transport.ts";

/** A transport to a tenant of its own in which there is nothing yet, and what was written before a revision's successor. */
export interface OpenedTransport {
  readonly transport: SyncTransport;
  /** The document of an earlier revision, as the service still gives it. */
  revision(key: {
    readonly kind: SyncRow["kind"];
    readonly id: string;
    readonly revision: number;
  }): Promise<unknown>;
}

const kinds = ["actions", "skills", "tools", "projects"] as const;

/** An item that every service takes as a skill. */
export const contractItem = (id: string, text = `what ${id} says`, version = "1.0"): SyncItem => ({
  id,
  name: "An item",
  version,
  metadata: { owner: "ada" },
  description: text,
  instructions: text,
});

const put = (item: SyncItem, expectedRevision = 0): SyncWrite => ({
  op: "put",
  kind: "skills",
  item,
  expectedRevision,
});
const remove = (id: string, expectedRevision: number): SyncWrite => ({
  op: "delete",
  kind: "skills",
  id,
  expectedRevision,
});

async function one(transport: SyncTransport, write: SyncWrite): Promise<SyncWriteResult> {
  const results = await transport.write([write]);
  const [result] = results;
  assert.ok(result !== undefined && results.length === 1);
  return result;
}

async function written(transport: SyncTransport, write: SyncWrite): Promise<SyncRow> {
  const result = await one(transport, write);
  assert.ok(result.status === "written", JSON.stringify(result));
  return result.row;
}

async function listed(transport: SyncTransport): Promise<readonly SyncRow[]> {
  const rows: SyncRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await transport.list({ kinds, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.rows);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return rows;
}

/** The behaviour of every `SyncTransport`. */
export function syncTransportContract(
  name: string,
  open: () => OpenedTransport | Promise<OpenedTransport>,
): void {
  describe(`${name} as a SyncTransport`, () => {
    it("writes a new item and gives it back, with the content hash that the client comes to", async () => {
      const { transport } = await open();
      const item = contractItem("local/größe");
      const row = await written(transport, put(item));
      const { serverId, ...rest } = row;
      assert.ok(serverId.length > 0);
      assert.deepEqual(rest, {
        ...{ kind: "skills", id: item.id, revision: 1, version: "1.0", deleted: false },
        contentSha256: itemContentSha256(item),
      });
      assert.deepEqual(await transport.read([{ kind: "skills", id: item.id }]), [
        { status: "found", row, item },
      ]);
      assert.deepEqual(await listed(transport), [row]);
    });

    it("takes a create again as done: one item, one revision, the same server id", async () => {
      const { transport } = await open();
      const row = await written(transport, put(contractItem("local/a")));
      assert.deepEqual(await one(transport, put(contractItem("local/a"))), { status: "unchanged", row });
      assert.deepEqual(await listed(transport), [row]);
    });

    it("refuses a create of what stands there with other content, and says what stands there", async () => {
      const { transport } = await open();
      const row = await written(transport, put(contractItem("local/a")));
      const rival = await one(transport, put(contractItem("local/a", "other")));
      assert.deepEqual(rival, { status: "conflict", found: row });
    });

    it("updates under the expected revision only, keeps the server id, and the earlier revision readable", async () => {
      const { transport, revision } = await open();
      const first = await written(transport, put(contractItem("local/a")));
      const update = put(contractItem("local/a", "new", "1.10"), 1);
      const second = await written(transport, update);
      assert.deepEqual([second.revision, second.version, second.serverId], [2, "1.10", first.serverId]);
      const late = await one(transport, put(contractItem("local/a", "late"), 1));
      assert.deepEqual(late, { status: "conflict", found: second });
      assert.deepEqual(await one(transport, update), { status: "unchanged", row: second });
      const earlier = await revision({ kind: "skills", id: "local/a", revision: 1 });
      assert.ok(typeof earlier === "object" && earlier !== null);
      assert.equal(Reflect.get(earlier, "instructions"), "what local/a says");
    });

    it("deletes into a tombstone that is listed with what it deleted, once", async () => {
      const { transport } = await open();
      const row = await written(transport, put(contractItem("local/a")));
      assert.equal((await one(transport, remove("local/a", 2))).status, "conflict");
      const tombstone = await written(transport, remove("local/a", 1));
      assert.deepEqual(tombstone, { ...row, revision: 2, deleted: true });
      assert.deepEqual(await one(transport, remove("local/a", 1)), { status: "unchanged", row: tombstone });
      assert.deepEqual(await listed(transport), [tombstone]);
      assert.deepEqual(await transport.read([{ kind: "skills", id: "local/a" }]), [
        { status: "gone", row: tombstone },
      ]);
    });

    it("writes over a tombstone, for who knows it and for who expects nothing, with the same server id", async () => {
      for (const expected of [0, 2]) {
        const { transport } = await open();
        const row = await written(transport, put(contractItem("local/a")));
        await written(transport, remove("local/a", 1));
        const again = await written(transport, put(contractItem("local/a"), expected));
        assert.deepEqual(again, { ...row, revision: 3 });
      }
    });

    it("knows nothing of what never was", async () => {
      const { transport } = await open();
      const found = { status: "gone", row: undefined };
      assert.deepEqual(await transport.read([{ kind: "skills", id: "local/a" }]), [found]);
      const conflict = { status: "conflict", found: undefined };
      assert.deepEqual(await one(transport, remove("local/a", 1)), conflict);
      assert.deepEqual(await one(transport, put(contractItem("local/a"), 4)), conflict);
      assert.deepEqual(await listed(transport), []);
    });

    it("answers a batch one by one in its order: an item that is refused is not the others' failure", async () => {
      const { transport } = await open();
      await written(transport, put(contractItem("local/b")));
      const results = await transport.write([
        put(contractItem("local/c")),
        put({ ...contractItem("local/bad"), id: "no-namespace" }),
        put(contractItem("local/b", "other")),
        put(contractItem("local/a")),
      ]);
      assert.deepEqual(
        results.map(({ status }) => status),
        ["written", "refused", "conflict", "written"],
      );
      const [, refused] = results;
      assert.ok(refused?.status === "refused");
      assert.match(`${refused.field} ${refused.message}`, /id/);
      const found = await transport.read([
        { kind: "skills", id: "local/c" },
        { kind: "skills", id: "local/nothing" },
        { kind: "skills", id: "local/a" },
      ]);
      assert.deepEqual(
        found.map(({ status }) => status),
        ["found", "gone", "found"],
      );
    });

    it("takes ids that differ only in normal form as one, and ids that differ in case as two", async () => {
      const { transport } = await open();
      const row = await written(transport, put(contractItem("local/caf\u00e9")));
      const decomposed = { ...contractItem("local/caf\u00e9"), id: "local/cafe\u0301" };
      assert.deepEqual(await one(transport, put(decomposed)), { status: "unchanged", row });
      await written(transport, put(contractItem("local/CAF\u00c9")));
      assert.equal((await listed(transport)).length, 2);
    });

    it("lists by kind and id, the kinds that are asked for", async () => {
      const { transport } = await open();
      const ids = ["local/b", "local/Z", "local/a", "other/a"];
      await transport.write(ids.map((id) => put(contractItem(id))));
      await transport.write([
        { op: "put", kind: "actions", item: contractAction("local/m"), expectedRevision: 0 },
      ]);
      const rows = (await listed(transport)).map(({ kind, id }) => `${kind} ${id}`);
      assert.deepEqual(rows, [
        "actions local/m",
        "skills local/Z",
        "skills local/a",
        "skills local/b",
        "skills other/a",
      ]);
      const page = await transport.list({ kinds: ["actions"] });
      assert.deepEqual(
        page.rows.map(({ id }) => id),
        ["local/m"],
      );
    });
  });
}

/** An action that every service takes. */
export const contractAction = (id: string): SyncItem => ({
  id,
  name: "An action",
  version: "1.0",
  metadata: {},
  description: "Does nothing.",
  arguments: {},
  plan: { decisions: [] },
});
