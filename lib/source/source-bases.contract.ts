import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { syncBaseStoreContract } from "../sync/sync-base-store.contract.ts";
import type { SyncBaseChange } from "../sync/sync-base-store.ts";
import { type SourceBases, SourceFenceLost } from "./source-bases.ts";

let count = 0;
const place = () => ({ tenant: `t${++count}`, sourceId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });

const change = (id: string, version: string): SyncBaseChange => ({
  kind: "tools",
  id,
  base: {
    base: { kind: "content", serverId: "res_1", version, contentSha256: "a".repeat(64) },
    intents: [],
  },
});

/** The behaviour of every `SourceBases`. */
export function sourceBasesContract(name: string, open: () => Promise<SourceBases>): void {
  syncBaseStoreContract(`the bases of a source in ${name}`, async () => {
    const [bases, at] = [await open(), place()];
    return { store: bases.of(at, 1), reopen: async () => bases.of(at, 2) };
  });

  describe(`${name} as SourceBases`, () => {
    it("refuses the bases of a run after a later one has saved the same, and keeps the later one's", async () => {
      const [bases, at] = [await open(), place()];
      await bases.of(at, 1).save([change("local/a", "1")]);
      await bases.of(at, 2).save([change("local/a", "2")]);
      await assert.rejects(bases.of(at, 1).save([change("local/a", "1")]), SourceFenceLost);
      assert.deepEqual(await bases.of(at, 1).load(), [change("local/a", "2")]);
      await bases.of(at, 2).save([change("local/a", "2.1")]);
      assert.deepEqual(await bases.of(at, 3).load(), [change("local/a", "2.1")]);
    });

    it("keeps more bases than a page holds", async () => {
      const [bases, at] = [await open(), place()];
      const changes = Array.from({ length: 2100 }, (_, index) =>
        change(`local/\u{1d11e}${10_000 + index}`, "1"),
      );
      await bases.of(at, 1).save(changes);
      assert.equal((await bases.of(at, 1).load()).length, 2100);
    });

    it("remembers documents by their hashes, beside the bases and for this place alone", async () => {
      const [bases, at] = [await open(), place()];
      await bases.of(at, 1).save([change("local/a", "1")]);
      const known = new Map([
        ["1".repeat(64), "2".repeat(64)],
        ["3".repeat(64), "4".repeat(64)],
      ]);
      await bases.rememberDocuments(at, known);
      await bases.rememberDocuments(at, known);
      assert.deepEqual(await bases.documents(at), known);
      assert.deepEqual(await bases.documents(place()), new Map());
      assert.equal((await bases.of(at, 1).load()).length, 1);
    });
  });
}
