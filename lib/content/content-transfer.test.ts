import assert from "node:assert/strict";
import { test } from "node:test";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { contentSha256 } from "./content-state.ts";
import { s3ContentStore } from "./s3-content-store.ts";
import { s3ContentTransfer } from "./s3-content-transfer.ts";

const aws = await emulatedAws();

const transferOf = async (tenant: string, given?: string) => {
  const client = aws.s3();
  const bucket = given ?? (await aws.newBucket());
  const content = s3ContentStore({ client, bucket, tenant });
  return {
    bucket,
    content,
    transfer: s3ContentTransfer({ client, bucket, tenant, content, clock: { now: () => 1000 } }),
  };
};

const bytes = Buffer.from("large content".repeat(1000));
const sha256 = contentSha256(bytes);

test("bytes that are PUT where the transfer says are staged, and become content when they are admitted", async () => {
  const { transfer, content } = await transferOf("acme");
  const target = await transfer.uploadTarget({ sha256, sizeBytes: bytes.byteLength });
  assert.equal(target.expiresAtEpochMs, 901_000);
  assert.equal(await transfer.admit(sha256), false);
  const { "content-length": _, ...headers } = target.headers;
  const put = await fetch(target.url, { method: "PUT", headers, body: bytes });
  assert.equal(put.status, 200, await put.text());
  assert.deepEqual(await content.missing([sha256]), [sha256], "staged is not yet stored");
  assert.equal(await transfer.admit(sha256), true);
  assert.deepEqual(await content.get(sha256), new Uint8Array(bytes));
});

test("checksum and length are part of an upload's signature", async () => {
  const { transfer } = await transferOf("acme");
  const { url, headers } = await transfer.uploadTarget({ sha256, sizeBytes: bytes.byteLength });
  const signed = new URL(url).searchParams.get("X-Amz-SignedHeaders")?.split(";") ?? [];
  assert.ok(signed.includes("content-length"), signed.join());
  assert.ok(signed.includes("x-amz-checksum-sha256"), signed.join());
  assert.equal(headers["x-amz-checksum-sha256"], Buffer.from(sha256, "hex").toString("base64"));
  assert.match(new URL(url).pathname, /\/staged\/acme\//);
});

test("staged bytes with another hash are refused when something refers to them", async () => {
  const { transfer, content } = await transferOf("acme");
  const { url } = await transfer.uploadTarget({ sha256, sizeBytes: 5 });
  // An endpoint that does not look at checksums, as some emulators do not: one that was told none, and one that was lied to.
  for (const headers of [{}, { "x-amz-checksum-sha256": Buffer.from(sha256, "hex").toString("base64") }]) {
    const put = await fetch(url, { method: "PUT", headers, body: "wrong" });
    assert.equal(put.status, 200, "an emulator that refuses: this test shows nothing any more");
    await assert.rejects(transfer.admit(sha256), { code: "content_mismatch" });
  }
  assert.deepEqual(await content.missing([sha256]), [sha256]);
});

test("what one tenant staged is not another's", async () => {
  const { transfer, bucket } = await transferOf("acme");
  const { url, headers } = await transfer.uploadTarget({ sha256, sizeBytes: bytes.byteLength });
  const { "content-length": _, ...sent } = headers;
  await fetch(url, { method: "PUT", headers: sent, body: bytes });
  const other = await transferOf("other", bucket);
  assert.equal(await other.transfer.admit(sha256), false);
});

test("large content can be fetched from its address without a token", async () => {
  const { transfer, content } = await transferOf("acme");
  await content.put([bytes]);
  const fetched = await fetch(await transfer.downloadUrl(sha256));
  assert.deepEqual(Buffer.from(await fetched.arrayBuffer()), bytes);
});

test("content beyond the largest file goes up in one piece, as a plan of a hundred thousand decisions is", async () => {
  const { transfer, content } = await transferOf("acme");
  const large = Buffer.alloc(24 * 1024 * 1024, "plan");
  const address = contentSha256(large);
  const target = await transfer.uploadTarget({ sha256: address, sizeBytes: large.byteLength });
  const { "content-length": _, ...headers } = target.headers;
  const put = await fetch(target.url, { method: "PUT", headers, body: large });
  assert.equal(put.status, 200, await put.text());
  assert.equal(await transfer.admit(address), true);
  assert.deepEqual(await content.missing([address]), []);
});
