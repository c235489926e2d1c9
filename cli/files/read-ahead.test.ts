import assert from "node:assert/strict";
import { test } from "node:test";
import { contentAhead } from "./content-ahead.ts";
import { readAhead } from "./read-ahead.ts";

test("reads are begun so many ahead and no more, and come in their order whichever ends first", async () => {
  const begun: number[] = [];
  const ends = new Map<number, (value: number) => void>();
  const reads = Array.from({ length: 6 }, (_, index) => () => {
    begun.push(index);
    return new Promise<number>((resolve) => ends.set(index, resolve));
  });
  const next = readAhead(reads, 3);
  const first = next();
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const index of [2, 1, 0]) ends.get(index)?.(index);
  assert.equal(await first, 0);
  assert.deepEqual([await next(), await next()], [1, 2]);
  assert.deepEqual(begun, [0, 1, 2, 3, 4, 5]);
});

test("a read that failed is told when its turn comes, and what is asked for beyond the last is refused", async () => {
  const next = readAhead([async () => 1, () => Promise.reject(new Error("gone")), async () => 3]);
  assert.equal(await next(), 1);
  await assert.rejects(next(), /gone/);
  assert.equal(await next(), 3);
  await assert.rejects(next(), /everything has been read/);
});

test("contents are given for the hashes that are asked for, in the order of the changes or out of it", async () => {
  const state = (sha256: string) => ({ sha256, mode: "100644" as const, sizeBytes: 1, gitBlobId: "" });
  const changes = ["a", "b", "a", "c"].map((sha256, index) => {
    return { path: `${index}`, before: null, after: state(sha256) };
  });
  let read = 0;
  const content = contentAhead(
    [...changes, { path: "gone", before: state("z"), after: null }],
    async (sha256) => {
      read += 1;
      return Buffer.from(sha256);
    },
  );
  for (const sha256 of ["a", "b", "c", "a", "c", "b"]) {
    assert.equal(Buffer.from(await content(sha256)).toString(), sha256);
  }
  assert.equal(read, 4 + 2);
});
