import assert from "node:assert/strict";
import { test } from "node:test";
import { ValidationError } from "../errors/planledger-error.ts";
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
  // An endpoint that does not look at checksums, as some emulators do not.
  await fetch(url, { method: "PUT", body: "wrong" });
  try {
    assert.equal(await transfer.admit(sha256), false);
  } catch (error) {
    assert.ok(error instanceof ValidationError && error.code === "content_mismatch");
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
