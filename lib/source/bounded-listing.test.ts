import assert from "node:assert/strict";
import { test } from "node:test";
import type { SyncRow, SyncTransport } from "../sync/sync-transport.ts";
import { boundedListing, listingLimits } from "./bounded-listing.ts";

const row: SyncRow = {
  ...{ kind: "skills", id: "team/a", serverId: "res_1", revision: 1, version: "1", deleted: false },
  contentSha256: "a".repeat(64),
};

/** A transport whose listing never ends. */
const endless = (rows: readonly SyncRow[]): SyncTransport => ({
  list: async () => ({ rows, cursor: "on and on" }),
  read: async () => [],
  write: async () => [],
});

/** How many pages are read before the listing is refused. */
const pagesRead = async (rows: readonly SyncRow[]): Promise<number> => {
  const { list } = boundedListing(endless(rows));
  for (let pages = 0; ; pages += 1) {
    try {
      await list({ kinds: ["skills"] });
    } catch (error) {
      assert.match(String(error), /Narrow it by scope/);
      return pages;
    }
  }
};

test("a listing ends at so many rows, and of empty pages at so many of those", async () => {
  const page = Array.from({ length: 5_000 }, () => row);
  assert.equal(await pagesRead(page), listingLimits.rows / 5_000);
  assert.equal(await pagesRead([]), listingLimits.pages);
});
