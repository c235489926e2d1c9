import assert from "node:assert/strict";
import { test } from "node:test";
import { ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { byteBoundedCache } from "./byte-bounded-cache.ts";
import { cachedContentStore } from "./cached-content-store.ts";
import { contentSha256 } from "./content-state.ts";
import { contentStoreContract } from "./content-store.contract.ts";
import { s3ContentStore } from "./s3-content-store.ts";

const aws = await emulatedAws();
const bucket = await aws.newBucket();
let tenants = 0;
const newTenant = () => `tenant-${++tenants}`;
const newStore = () => s3ContentStore({ client: aws.s3(), bucket, tenant: newTenant() });

contentStoreContract("s3ContentStore", newStore);
contentStoreContract("cachedContentStore over s3ContentStore", () =>
  cachedContentStore({ store: newStore(), tenant: "acme", cache: byteBoundedCache(1000) }),
);

test("a file of 16 MiB goes up in parts and comes back whole, and is not sent again", async () => {
  const client = aws.s3();
  const store = s3ContentStore({ client, bucket, tenant: newTenant() });
  const bytes = new Uint8Array(16 * 1024 * 1024).map((_, index) => (index * 31) % 251);
  const [sha256] = await store.put([bytes]);
  assert.equal(sha256, contentSha256(bytes));
  assert.equal(Buffer.compare((await store.get(sha256 ?? "")) ?? new Uint8Array(), bytes), 0);
  const counter = countCapacity(client);
  await store.put([bytes]);
  assert.deepEqual([...counter.byOperation.keys()], ["HeadObject"]);
});

test("an upload in parts that fails leaves no object behind", async () => {
  const client = aws.s3();
  const faults = injectFaults(client);
  const store = s3ContentStore({ client, bucket, tenant: newTenant() });
  const bytes = new Uint8Array(9 * 1024 * 1024).fill(7);
  const down = Array.from({ length: 4 }, () => "unavailable" as const);
  faults.script("UploadPart", [undefined, ...down]);
  await assert.rejects(store.put([bytes]), { code: "unavailable", retryable: true });
  assert.deepEqual(await store.missing([contentSha256(bytes)]), [contentSha256(bytes)]);
});

test("damaged content is named and never given out", async () => {
  const tenant = newTenant();
  const client = aws.s3();
  const store = s3ContentStore({ client, bucket, tenant });
  const [sha256 = ""] = await store.put([Buffer.from("as it was")]);
  await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: `${tenant}/content/${sha256}`, Body: "as it is" }),
  );
  await assert.rejects(store.get(sha256), { code: "content_mismatch" });
});

test("whether a hash exists is not told across tenants, however a tenant is spelled", async () => {
  const client = aws.s3();
  const own = s3ContentStore({ client, bucket, tenant: "a" });
  const [sha256 = ""] = await own.put([Buffer.from("secret")]);
  const cache = byteBoundedCache<Uint8Array>(100_000);
  await cachedContentStore({ store: own, tenant: "a", cache }).get(sha256);
  for (const tenant of ["b", "a/content/..", "", "a/", "../a"]) {
    const other = s3ContentStore({ client, bucket, tenant });
    assert.equal(await other.get(sha256), undefined);
    assert.deepEqual(await other.missing([sha256]), [sha256]);
    assert.equal(await cachedContentStore({ store: other, tenant, cache }).get(sha256), undefined);
  }
  await assert.rejects(own.get("../../b/content/x"), { field: "sha256" });
});

test("a tenant that is called like the prefix that expires keeps its content elsewhere", async () => {
  const client = aws.s3();
  const store = s3ContentStore({ client, bucket, tenant: "staged" });
  const [sha256 = ""] = await store.put([Buffer.from("to stay")]);
  const listed = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: "staged/" }));
  assert.equal(listed.KeyCount, 0);
  assert.deepEqual(Buffer.from((await store.get(sha256)) ?? []), Buffer.from("to stay"));
  assert.equal(await s3ContentStore({ client, bucket, tenant: "%73taged" }).get(sha256), undefined);
});

test("no more requests are under way at once than allowed, and repeated content is sent once", async () => {
  const client = aws.s3();
  let underWay = 0;
  let most = 0;
  client.middlewareStack.add(
    (next) => async (args) => {
      underWay += 1;
      most = Math.max(most, underWay);
      try {
        return await next(args);
      } finally {
        underWay -= 1;
      }
    },
    { step: "initialize" },
  );
  const counter = countCapacity(client);
  const store = s3ContentStore({ client, bucket, tenant: newTenant(), requestsAtOnce: 4 });
  const contents = Array.from({ length: 40 }, (_, index) => Buffer.from(`content ${index % 20}`));
  const sha256s = await store.put(contents);
  assert.equal(counter.byOperation.get("PutObject")?.requests, 20);
  assert.deepEqual(sha256s, contents.map(contentSha256));
  assert.deepEqual(await store.missing([...sha256s, "f".repeat(64)]), ["f".repeat(64)]);
  assert.equal(most, 4);
});

test("content read once is not asked for again while the cache holds it, and is dropped by its weight", async () => {
  const client = aws.s3();
  const counter = countCapacity(client);
  const cache = byteBoundedCache<Uint8Array>(6000);
  const store = cachedContentStore({
    store: s3ContentStore({ client, bucket, tenant: "acme" }),
    tenant: "acme",
    cache,
  });
  const contents = Array.from({ length: 20 }, (_, index) => Buffer.from(`${index}`.repeat(200)));
  const sha256s = await store.put(contents);
  const newest = sha256s.at(-1) ?? "";
  const bytes = await store.get(newest);
  bytes?.fill(0);
  assert.deepEqual(Buffer.from((await store.get(newest)) ?? []), contents.at(-1));
  assert.equal(counter.byOperation.get("GetObject"), undefined);
  await store.get(sha256s[0] ?? "");
  assert.equal(counter.byOperation.get("GetObject")?.requests, 1);
});
