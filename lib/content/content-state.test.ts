import assert from "node:assert/strict";
import { it } from "node:test";
import { contentState } from "./content-state.ts";

it("records the hash, the size and the id that git gives the same bytes", () => {
  assert.deepEqual(contentState(Buffer.from("hello\n"), "100755"), {
    sha256: "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
    sizeBytes: 6,
    mode: "100755",
    gitBlobId: "ce013625030ba8dba906f756967f9e9ca394464a",
  });
  assert.equal(
    contentState(new Uint8Array(), "100644").gitBlobId,
    "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  );
});
