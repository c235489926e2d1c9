import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { derivedChangesetStoreContract, mergeChangeset } from "./derived-changeset-store.contract.ts";
import { dynamodbDerivedChangesetStore } from "./dynamodb-derived-changeset-store.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
const contents = memoryContentStore();
const content = () => contents;

derivedChangesetStoreContract("dynamodb", async () =>
  dynamodbDerivedChangesetStore({ client: aws.dynamodb(), tableName, content }),
);
derivedChangesetStoreContract("dynamodb, spilled to the content store", async () =>
  dynamodbDerivedChangesetStore({ client: aws.dynamodb(), tableName, content, spillAboveBytes: 100 }),
);

test("a write whose answer was lost is the same write", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = dynamodbDerivedChangesetStore({ client, tableName, content });
  const changeset = mergeChangeset(2);
  faults.script("PutItem", ["answer_lost"]);
  assert.deepEqual(await store.putIfAbsent("acme", changeset), changeset);
  assert.equal(faults.injected(), 1);
});
