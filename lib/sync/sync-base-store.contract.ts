import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SyncBaseChange, SyncBaseStore } from "./sync-base-store.ts";

const change = (id: string, fields: Partial<SyncBaseChange["base"]> = {}): SyncBaseChange => ({
  kind: "tools",
  id,
  base: {
    base: { kind: "content", serverId: "res_1", version: "1.10", contentSha256: "a".repeat(64) },
    intents: [],
    ...fields,
  },
});

async function found(store: SyncBaseStore): Promise<readonly SyncBaseChange[]> {
  return [...(await store.load())].sort((one, other) =>
    `${one.kind} ${one.id}` < `${other.kind} ${other.id}` ? -1 : 1,
  );
}

/** The behaviour of every `SyncBaseStore`. `reopen` gives the store of the next process. */
export function syncBaseStoreContract(
  name: string,
  open: () => Promise<{ readonly store: SyncBaseStore; readonly reopen: () => Promise<SyncBaseStore> }>,
): void {
  describe(`${name} as a SyncBaseStore`, () => {
    it("is empty at first, and gives back what was saved, in the next process too", async () => {
      const { store, reopen } = await open();
      assert.deepEqual(await store.load(), []);
      const changes: readonly SyncBaseChange[] = [
        { ...change("local/größe"), kind: "actions" },
        change("local/a", {
          intents: [
            { kind: "absent" },
            { kind: "removed" },
            { kind: "content", version: "2", contentSha256: "b".repeat(64) },
            { kind: "pulled", serverId: "res_1", version: "3", contentSha256: "c".repeat(64) },
          ],
        }),
        change("local/b", { base: { kind: "absent" } }),
      ];
      await store.save(changes);
      assert.deepEqual(await found(store), changes);
      assert.deepEqual(await found(await reopen()), changes);
    });

    it("replaces what is saved again and keeps the rest", async () => {
      const { store, reopen } = await open();
      await store.save([change("local/a"), change("local/b")]);
      const replaced = change("local/a", { base: { kind: "absent" } });
      await store.save([replaced]);
      await store.save([]);
      assert.deepEqual(await found(await reopen()), [replaced, change("local/b")]);
    });
  });
}
