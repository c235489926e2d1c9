import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deletedRecord, type TimedRecord } from "./timed-record.ts";
import type { DueRecords, TimedRecordStore } from "./timed-record-store.ts";

export interface Note extends TimedRecord {
  readonly note: string;
}

let count = 0;
const fresh = (prefix: string) => `${prefix}${String(++count).padStart(4, "0")}`;

const record = (tenant: string, name: string, fields: Partial<Note> = {}): Note => ({
  v: 1,
  tenant,
  name,
  revision: 1,
  note: "first",
  ...fields,
});

/** The behaviour of every pair of `TimedRecordStore`s (of two kinds) and the `DueRecords` that look at both. */
export function timedRecordsContract(
  name: string,
  open: () => Promise<{
    readonly schedules: TimedRecordStore<Note>;
    readonly sources: TimedRecordStore<Note>;
    readonly due: DueRecords;
  }>,
): void {
  describe(`${name} as a store of timed records`, () => {
    it("gives back what was put, by kind, tenant and name", async () => {
      const { schedules, sources } = await open();
      const [one, other] = [fresh("t"), fresh("t")];
      const mine = record(one, "a", { lookAtEpochSeconds: 1_790_000_000 });
      assert.equal(await schedules.put(mine), true);
      assert.equal(await sources.put(record(one, "a", { note: "of the other kind" })), true);
      assert.deepEqual(await schedules.get(mine), mine);
      assert.deepEqual(await sources.get(mine), record(one, "a", { note: "of the other kind" }));
      assert.equal(await schedules.get({ tenant: other, name: "a" }), undefined);
    });

    it("writes only upon the revision before, so that of two writers one wins", async () => {
      const { schedules } = await open();
      const first = record(fresh("t"), "a");
      const outcomes = await Promise.all([
        schedules.put(first),
        schedules.put({ ...first, note: "another first" }),
      ]);
      assert.deepEqual(outcomes.toSorted(), [false, true]);
      const seconds = await Promise.all(
        ["x", "y", "z"].map((note) => schedules.put({ ...first, revision: 2, note })),
      );
      assert.equal(seconds.filter((written) => written).length, 1);
      assert.equal(await schedules.put({ ...first, revision: 4, note: "too early" }), false);
      const found = await schedules.get(first);
      assert.ok(found !== undefined && "note" in found && "xyz".includes(found.note));
    });

    it("keeps the revision of what was deleted, lists it no more, and never finds it due", async () => {
      const { schedules, due } = await open();
      const first = record(fresh("t"), "a", { lookAtEpochSeconds: 100 });
      await schedules.put(first);
      const gone = deletedRecord(first);
      assert.equal(await schedules.put(gone), true);
      assert.deepEqual(await schedules.get(first), gone);
      assert.deepEqual(await schedules.list({ tenant: first.tenant, limit: 10 }), { records: [] });
      const keys = await due.due({ nowEpochSeconds: 200, limit: 1000 });
      assert.deepEqual(
        keys.filter(({ tenant }) => tenant === first.tenant),
        [],
      );
      assert.equal(await schedules.put(record(first.tenant, "a")), false);
      assert.equal(await schedules.put(record(first.tenant, "a", { revision: 3 })), true);
    });

    it("lists a tenant's records by name, page by page, and nobody else's", async () => {
      const { schedules, sources } = await open();
      const tenant = fresh("t");
      for (const name of ["c", "A", "b", "a.1", "d"]) await schedules.put(record(tenant, name));
      await sources.put(record(tenant, "e"));
      await schedules.put(record(fresh("t"), "f"));
      const names: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await schedules.list({ tenant, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        names.push(...page.records.map((one) => one.name));
        cursor = page.cursor;
      } while (cursor !== undefined);
      assert.deepEqual(names, ["A", "a.1", "b", "c", "d"]);
    });

    it("finds what is due over all tenants and both kinds, the longest due first, and nothing else", async () => {
      const { schedules, sources, due } = await open();
      const tenants = Array.from({ length: 12 }, () => fresh("t"));
      for (const [index, tenant] of tenants.entries()) {
        const store = index % 2 === 0 ? schedules : sources;
        await store.put(record(tenant, "a", { lookAtEpochSeconds: 1000 + index }));
        await store.put(record(tenant, "b", { lookAtEpochSeconds: 5000 }));
        await store.put(record(tenant, "c"));
      }
      const found = await due.due({ nowEpochSeconds: 1010, limit: 100 });
      assert.deepEqual(
        found,
        tenants.slice(0, 11).map((tenant, index) => {
          return { kind: index % 2 === 0 ? "schedules" : "sources", tenant, name: "a" };
        }),
      );
      assert.deepEqual(await due.due({ nowEpochSeconds: 1010, limit: 3 }), found.slice(0, 3));
    });

    it("is looked at when the latest put says, and no more when that says nothing", async () => {
      const { schedules, due } = await open();
      const first = record(fresh("t"), "a", { lookAtEpochSeconds: 10 });
      await schedules.put(first);
      await schedules.put({ ...first, revision: 2, lookAtEpochSeconds: 50 });
      assert.deepEqual(await due.due({ nowEpochSeconds: 20, limit: 10 }), []);
      assert.equal((await due.due({ nowEpochSeconds: 50, limit: 10 })).length, 1);
      await schedules.put(record(first.tenant, "a", { revision: 3 }));
      assert.deepEqual(await due.due({ nowEpochSeconds: 9_999_999_999, limit: 10 }), []);
    });
  });
}
