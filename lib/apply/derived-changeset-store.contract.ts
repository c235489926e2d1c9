import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { DerivedChangeset, MergeChangeset, PartialChangeset } from "./derived-changeset.ts";
import type { DerivedChangesetStore } from "./derived-changeset-store.ts";
import { derivedDigest } from "./derived-digest.ts";

let plans = 0;
const hex = (digit: string): string => digit.repeat(64);

const entry = (path: string): ChangeEntry => ({
  decisionId: "d1",
  callOrdinal: 0,
  resource: "app",
  path,
  kind: "create",
  before: null,
  after: { sha256: hex("a"), sizeBytes: 3, mode: "100755", gitBlobId: "b".repeat(40) },
});

/** A merge of so many entries. */
export function mergeChangeset(entryCount: number): MergeChangeset {
  plans += 1;
  const unsealed = {
    kind: "merge" as const,
    planId: `derived-contract-${plans}`,
    of: hex("c"),
    baseTrees: { app: hex("d") },
    entries: Array.from({ length: entryCount }, (_, index) => entry(`dir ${index}/größe`)),
  };
  return { v: 1, ...unsealed, digest: derivedDigest(unsealed) };
}

/** The behaviour of every `DerivedChangesetStore`. `open` is called once. */
export function derivedChangesetStoreContract(
  name: string,
  open: () => Promise<DerivedChangesetStore>,
): void {
  let store: DerivedChangesetStore;
  before(async () => {
    store = await open();
  });
  const keyOf = ({ planId, digest }: DerivedChangeset) => ({ tenant: "acme", planId, digest });

  test(`${name}: a changeset reads back as it was written, however many its entries`, async () => {
    for (const count of [0, 1, 3_000]) {
      const changeset = mergeChangeset(count);
      assert.equal(await store.get(keyOf(changeset)), undefined);
      assert.deepEqual(await store.putIfAbsent("acme", changeset), changeset);
      assert.deepEqual(await store.get(keyOf(changeset)), changeset);
    }
  });

  test(`${name}: what a digest does not cover is told as the first writer told it`, async () => {
    const { kind: _, ...merge } = mergeChangeset(1);
    const unsealed = { ...merge, kind: "partial" as const };
    const digest = derivedDigest(unsealed);
    const first: PartialChangeset = { ...unsealed, digest, only: ["d1"], added: [] };
    const added = [{ decisionId: "d0", neededBy: "d1", because: { kind: "depends_on" } }] as const;
    const second: PartialChangeset = { ...first, only: ["d0", "d1"], added };
    await store.putIfAbsent("acme", first);
    assert.deepEqual(await store.putIfAbsent("acme", second), first);
    assert.deepEqual(await store.get(keyOf(first)), first);
  });

  test(`${name}: tenants, plans and digests keep theirs apart`, async () => {
    const changeset = mergeChangeset(1);
    await store.putIfAbsent("acme", changeset);
    const key = keyOf(changeset);
    for (const other of [
      { ...key, tenant: "other" },
      { ...key, planId: "another" },
      { ...key, digest: hex("f") },
    ]) {
      assert.equal(await store.get(other), undefined);
    }
  });
}
