import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentSha256 } from "./content-state.ts";
import type { ContentStore } from "./content-store.ts";

/** What every `ContentStore` must do; `open` makes an empty one, of a tenant of its own, for each test. */
export const contentStoreContract = (
  name: string,
  open: () => ContentStore | Promise<ContentStore>,
): void => {
  describe(`${name} as a ContentStore`, () => {
    it("gives back any bytes as they were put, under their SHA-256", async () => {
      const store = await open();
      const contents = [
        Buffer.from("text\r\n"),
        new Uint8Array(),
        Uint8Array.of(0, 255, 13, 10, 0xef, 0xbb, 0xbf),
        Buffer.alloc(400_000, "ab\0"),
      ];
      const hashes = await store.put(contents);
      assert.deepEqual(hashes, contents.map(contentSha256));
      for (const [index, hash] of hashes.entries()) {
        assert.deepEqual(Buffer.from((await store.get(hash)) ?? []), Buffer.from(contents[index] ?? []));
      }
    });

    it("answers undefined for content that is not there", async () => {
      const store = await open();
      assert.equal(await store.get(contentSha256(Buffer.from("never put"))), undefined);
    });

    it("keeps content once however often it is put, and answers in the order given", async () => {
      const store = await open();
      const [a, b] = [Buffer.from("a"), Buffer.from("b")];
      const expected = [b, a, b].map(contentSha256);
      assert.deepEqual(await store.put([b, a, b]), expected);
      assert.deepEqual(await store.put([b, a, b]), expected);
      assert.deepEqual(Buffer.from((await store.get(contentSha256(a))) ?? []), a);
    });

    it("says which hashes it lacks, in the order asked", async () => {
      const store = await open();
      const [here = ""] = await store.put([Buffer.from("here")]);
      const [x, y] = [contentSha256(Buffer.from("x")), contentSha256(Buffer.from("y"))];
      assert.deepEqual(await store.missing([y, here, x]), [y, x]);
      assert.deepEqual(await store.missing([]), []);
    });

    it("puts nothing when it is given nothing", async () => {
      assert.deepEqual(await (await open()).put([]), []);
    });

    it("does not change when a caller changes the bytes it put or got", async () => {
      const store = await open();
      const bytes = Buffer.from("stable");
      const [hash = ""] = await store.put([bytes]);
      bytes.fill(0);
      (await store.get(hash))?.fill(1);
      assert.equal(Buffer.from((await store.get(hash)) ?? []).toString(), "stable");
    });
  });
};
