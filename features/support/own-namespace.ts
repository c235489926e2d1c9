import assert from "node:assert/strict";
import { itemContentSha256 } from "#lib/sync/item-content.ts";
import type { SyncItem } from "#lib/sync/sync-item.ts";
import type { SyncKey, SyncRow, SyncTransport } from "#lib/sync/sync-transport.ts";

export interface OwnNamespace extends SyncTransport {
  /** The id under which the service has an item of the scenario. */
  idThere(id: string): string;
}

/**
 * A scenario's own part of a tenant that it shares: the service has its items below namespaces that begin with `prefix`,
 * the scenario sees only those, under the ids that it gave them. Ids are hashed with the content, so the service's hashes
 * are checked here against the items that were sent, and translated.
 */
export function ownNamespace(transport: SyncTransport, prefix: string): OwnNamespace {
  const hashes = new Map<string, string>();
  const idThere = (id: string) => `${prefix}${id}`;
  const there = (item: SyncItem): SyncItem => {
    if (!item.id.includes("/")) return item;
    const moved = { ...item, id: idThere(item.id).normalize("NFC") };
    hashes.set(itemContentSha256(moved), itemContentSha256({ ...item, id: item.id.normalize("NFC") }));
    return moved;
  };
  const keyThere = ({ kind, id }: SyncKey): SyncKey => ({ kind, id: idThere(id) });
  const idHere = (id: string) => id.slice(prefix.length);
  const rowHere = (row: SyncRow): SyncRow => {
    const contentSha256 = hashes.get(row.contentSha256);
    assert.ok(contentSha256, `the service's hash of ${row.kind} ${row.id} is that of nothing that was sent`);
    return { ...row, id: idHere(row.id), contentSha256 };
  };
  const found = (row: SyncRow | undefined) => (row === undefined ? undefined : rowHere(row));

  return {
    idThere,
    async list(query) {
      const { rows, cursor } = await transport.list(query);
      const own = rows.filter(({ id }) => id.startsWith(prefix)).map(rowHere);
      return { rows: own, ...(cursor === undefined ? {} : { cursor }) };
    },
    async read(keys) {
      const results = await transport.read(keys.map(keyThere));
      return results.map((result) => {
        switch (result.status) {
          case "found": {
            const item = { ...result.item, id: idHere(result.item.id) };
            return { status: "found", row: rowHere(result.row), item };
          }
          case "gone":
            return { status: "gone", row: found(result.row) };
          case "refused":
          case "unprocessed":
            return result;
          default:
            return result satisfies never;
        }
      });
    },
    async write(writes) {
      const results = await transport.write(
        writes.map((write) =>
          write.op === "put" ? { ...write, item: there(write.item) } : { ...write, id: idThere(write.id) },
        ),
      );
      return results.map((result) => {
        switch (result.status) {
          case "written":
          case "unchanged":
            return { ...result, row: rowHere(result.row) };
          case "conflict":
            return { status: "conflict", found: found(result.found) };
          case "refused":
          case "unprocessed":
            return result;
          default:
            return result satisfies never;
        }
      });
    },
  };
}
