import assert from "node:assert/strict";
import { test } from "node:test";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import { byteBoundedCache } from "../content/byte-bounded-cache.ts";
import { contentState } from "../content/content-state.ts";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { cachedTreeStore } from "./cached-tree-store.ts";
import type { Directory } from "./directory.ts";
import { s3TreeStore } from "./s3-tree-store.ts";
import { treeStoreContract } from "./tree-store.contract.ts";

const aws = await emulatedAws();
const bucket = await aws.newBucket();
let tenants = 0;
const newStore = () => s3TreeStore({ client: aws.s3(), bucket, tenant: `tenant-${++tenants}` });

treeStoreContract("s3TreeStore", newStore);
treeStoreContract("cachedTreeStore over s3TreeStore", () =>
  cachedTreeStore({ store: newStore(), tenant: "acme", cache: byteBoundedCache(100_000) }),
);

const directory = (text: string): Directory => ({
  entries: [{ kind: "file", name: "a.txt", file: contentState(Buffer.from(text), "100644") }],
});

test("a damaged directory is refused", async () => {
  const client = aws.s3();
  const store = s3TreeStore({ client, bucket, tenant: "acme" });
  const [one, two] = await store.put([directory("one"), directory("two")]);
  assert.ok(one && two);
  await client.send(
    new PutObjectCommand({ Bucket: bucket, Key: `acme/trees/${one.sha256}`, Body: "not a directory" }),
  );
  await assert.rejects(store.get(one.sha256), { code: "internal" });
  assert.deepEqual(await store.get(two.sha256), directory("two"));
});

test("a directory that was put or read is kept in the process, for its tenant only", async () => {
  const client = aws.s3();
  const counter = countCapacity(client);
  const cache = byteBoundedCache<Directory>(100_000);
  const cached = (tenant: string) =>
    cachedTreeStore({ store: s3TreeStore({ client, bucket, tenant }), tenant, cache });
  const [ref] = await cached("one").put([directory("mine")]);
  assert.ok(ref);
  await cached("one").get(ref.sha256);
  assert.equal(counter.byOperation.get("GetObject"), undefined);
  await assert.rejects(cached("two").get(ref.sha256), { code: "not_found" });
});
