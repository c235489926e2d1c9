import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type ResourceKey,
  type ResourceRecord,
  type ResourceStore,
  resourceKinds,
} from "./resource-store.ts";

let count = 0;
const freshTenant = () => `tenant-${++count}`;

/** A first revision; the contract's own tests and the adapters' use it. */
export function resourceRecord(key: ResourceKey, fields: Partial<ResourceRecord> = {}): ResourceRecord {
  return {
    v: 1,
    ...key,
    serverId: `srv_${key.kind}_${key.id}`,
    revision: 1,
    version: "1.9",
    contentSha256: "c".repeat(64),
    deleted: false,
    body: { name: key.id, nested: { list: [1, null, "ü\u0000"], none: {} } },
    updatedBy: "user:ada",
    updatedAtEpochMs: 1_790_000_000_000,
    ...fields,
  };
}

/** The behaviour of every `ResourceStore`. */
export function resourceStoreContract(
  name: string,
  open: () => ResourceStore | Promise<ResourceStore>,
): void {
  describe(`${name} as a ResourceStore`, () => {
    it("gives back revisions as they were put, the latest one and the ones before", async () => {
      const store = await open();
      const key: ResourceKey = { tenant: freshTenant(), kind: "tools", id: "local/größe" };
      const first = resourceRecord(key);
      const second = resourceRecord(key, {
        revision: 2,
        version: "1.10",
        changesetDigest: "d".repeat(64),
        planId: "plan-1",
        body: { text: "x".repeat(5000) },
      });
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.put(first), true);
      assert.deepEqual(await store.get(key), first);
      assert.equal(await store.put(second), true);
      assert.deepEqual(await store.get(key), second);
      assert.deepEqual(await store.getRevision({ ...key, revision: 1 }), first);
      assert.deepEqual(await store.getRevision({ ...key, revision: 2 }), second);
      for (const revision of [0, 3]) {
        assert.equal(await store.getRevision({ ...key, revision }), undefined);
      }
    });

    it("takes the very same revision again as done, and another under a taken number as lost", async () => {
      const store = await open();
      const key: ResourceKey = { tenant: freshTenant(), kind: "skills", id: "local/a" };
      const first = resourceRecord(key);
      assert.equal(await store.put(first), true);
      assert.equal(await store.put(first), true);
      assert.equal(await store.put({ ...first, body: { other: true } }), false);
      assert.deepEqual(await store.get(key), first);
      assert.equal(await store.put({ ...first, revision: 2 }), true);
      assert.equal(await store.put(first), false);
    });

    it("lets one of many writers of a revision win, and shows the winner's body", async () => {
      const store = await open();
      const key: ResourceKey = { tenant: freshTenant(), kind: "projects", id: "local/app" };
      await store.put(resourceRecord(key));
      const rivals = Array.from({ length: 8 }, (_, writer) =>
        resourceRecord(key, { revision: 2, body: { writer }, updatedBy: `user:${writer}` }),
      );
      const outcomes = await Promise.all(rivals.map((rival) => store.put(rival)));
      const winners = rivals.filter((_, index) => outcomes[index]);
      assert.equal(winners.length, 1);
      assert.deepEqual(await store.get(key), winners[0]);
      assert.deepEqual(await store.getRevision({ ...key, revision: 2 }), winners[0]);
    });

    it("writes no revision ahead of its time", async () => {
      const store = await open();
      const key: ResourceKey = { tenant: freshTenant(), kind: "actions", id: "local/a" };
      assert.equal(await store.put(resourceRecord(key, { revision: 2 })), false);
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.put(resourceRecord(key)), true);
      assert.equal(await store.put(resourceRecord(key, { revision: 3 })), false);
      assert.equal(await store.put(resourceRecord(key, { revision: 2, version: "2" })), true);
      assert.equal(await store.getRevision({ ...key, revision: 3 }), undefined);
      assert.equal((await store.get(key))?.version, "2");
    });

    it("keeps a deletion as a revision that is listed, and takes a further one behind it", async () => {
      const store = await open();
      const key: ResourceKey = { tenant: freshTenant(), kind: "actions", id: "local/a" };
      await store.put(resourceRecord(key));
      const gone = resourceRecord(key, { revision: 2, deleted: true, body: {} });
      await store.put(gone);
      assert.deepEqual(await store.get(key), gone);
      const { body, ...listed } = gone;
      assert.deepEqual((await store.list({ tenant: key.tenant, limit: 5 })).resources, [listed]);
      assert.equal(await store.put(resourceRecord(key, { revision: 3 })), true);
      assert.equal((await store.get(key))?.deleted, false);
    });

    it("lists a tenant's latest revisions by kind and id, without bodies, page by page", async () => {
      const store = await open();
      const tenant = freshTenant();
      const ids = ["local/Z", "local/a", "local/a-b", "local/ä", "local/\u{1f4d2}", "local/\uff5e"];
      const keys = resourceKinds.flatMap((kind) => ids.map((id): ResourceKey => ({ tenant, kind, id })));
      for (const key of [...keys].reverse()) await store.put(resourceRecord(key));
      await store.put(resourceRecord({ tenant, kind: "skills", id: "local/a" }, { revision: 2 }));
      await store.put(resourceRecord({ tenant: freshTenant(), kind: "skills", id: "local/a" }));
      const inOrder = keys
        .map((key) => `${key.kind}#${key.id}`)
        .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      for (const kind of [undefined, ...resourceKinds]) {
        const listed: string[] = [];
        let cursor: string | undefined;
        do {
          const page = await store.list({
            tenant,
            limit: 4,
            ...(kind === undefined ? {} : { kind }),
            ...(cursor === undefined ? {} : { cursor }),
          });
          assert.ok(page.resources.length <= 4);
          assert.ok(page.resources.every((resource) => !("body" in resource)));
          for (const resource of page.resources) {
            assert.equal(resource.revision, resource.kind === "skills" && resource.id === "local/a" ? 2 : 1);
            listed.push(`${resource.kind}#${resource.id}`);
          }
          cursor = page.cursor;
        } while (cursor !== undefined);
        assert.deepEqual(
          listed,
          inOrder.filter((key) => kind === undefined || key.startsWith(`${kind}#`)),
        );
      }
      assert.deepEqual(await store.list({ tenant: freshTenant(), limit: 4 }), { resources: [] });
    });
  });
}
