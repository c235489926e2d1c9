import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { contentState } from "../content/content-state.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { countCapacity } from "../table/consumed-capacity.testkit.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { changeSetStoreContract } from "./change-set-store.contract.ts";
import type { DecisionChanges } from "./change-set-store.ts";
import { dynamodbChangeSetStore } from "./dynamodb-change-set-store.ts";

const aws = await emulatedAws();
const tableName = await aws.newTable();
const contentStore = memoryContentStore();
const storeOn = (client: DynamoDBClient, options: { tenant?: string; spillAboveBytes?: number } = {}) =>
  dynamodbChangeSetStore({ client, tableName, tenant: "acme", content: contentStore, ...options });

changeSetStoreContract("dynamodbChangeSetStore", { open: async () => storeOn(aws.dynamodb()) });
changeSetStoreContract("dynamodbChangeSetStore, everything spilled", {
  open: async () => storeOn(aws.dynamodb(), { spillAboveBytes: 0 }),
  prefix: "spilled",
});

const digest = "d".repeat(64);
function changes(position: number, bytes: Uint8Array = Buffer.from(`content ${position}`)): DecisionChanges {
  const after = contentState(bytes, "100644");
  const decisionId = `d${position}`;
  return {
    decisionId,
    position,
    entries: [
      {
        decisionId,
        callOrdinal: 0,
        resource: "app",
        path: `${position}.txt`,
        kind: "create",
        before: null,
        after,
      },
    ],
    contents: new Map([[after.sha256, bytes]]),
  };
}

test("an append that a seal overtakes is refused and never seen, whatever the order of their writes (F1)", async () => {
  const changesetId = "overtaken";
  const store = storeOn(aws.dynamodb());
  await store.start({ changesetId, planId: "p" });
  await store.append(changesetId, changes(0));
  const late = aws.dynamodb();
  late.middlewareStack.add(
    (next, context) => async (args) => {
      // The decision's own item, the second put: by then the append has seen an open changeset.
      const item = "Item" in args.input ? args.input.Item : undefined;
      if (context.commandName === "PutItemCommand" && String(item?.sk).startsWith("D#")) {
        await store.seal(changesetId, digest);
      }
      return next(args);
    },
    { step: "initialize" },
  );
  await assert.rejects(storeOn(late).append(changesetId, changes(1)), { code: "changeset_sealed" });
  const found = await store.get(changesetId);
  assert.deepEqual(found?.entries, changes(0).entries);
  assert.equal(found?.state, "sealed");
});

test("an append that was written before the seal counted counts, though its answer comes after", async () => {
  const changesetId = "counted";
  const store = storeOn(aws.dynamodb());
  await store.start({ changesetId, planId: "p" });
  const slow = aws.dynamodb();
  slow.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const item = "Item" in args.input ? args.input.Item : undefined;
      if (context.commandName === "PutItemCommand" && String(item?.sk).startsWith("D#")) {
        await store.seal(changesetId, digest);
      }
      return result;
    },
    { step: "initialize" },
  );
  await storeOn(slow).append(changesetId, changes(0));
  assert.deepEqual((await store.get(changesetId))?.entries, changes(0).entries);
});

test("a seal that died half-way is finished by whoever comes next, under its digest", async () => {
  for (const finish of ["get", "seal", "append"] as const) {
    const changesetId = `half-sealed-${finish}`;
    const client = aws.dynamodb();
    const faults = injectFaults(client);
    const store = storeOn(client);
    await store.start({ changesetId, planId: "p" });
    await store.append(changesetId, changes(0));
    faults.script("PutItem", [undefined, ...Array.from({ length: 4 }, () => "unavailable" as const)]);
    await assert.rejects(store.seal(changesetId, digest), { code: "unavailable" });
    if (finish === "seal") {
      await assert.rejects(store.seal(changesetId, "e".repeat(64)), { code: "changeset_sealed" });
    }
    if (finish === "append") {
      await assert.rejects(store.append(changesetId, changes(1)), { code: "changeset_sealed" });
    }
    const found = await store.get(changesetId);
    assert.deepEqual(found, {
      changesetId,
      planId: "p",
      entries: changes(0).entries,
      state: "sealed",
      digest,
    });
  }
});

test("lost answers neither double an append nor a seal (F1)", async () => {
  const changesetId = "lost-answers";
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = storeOn(client);
  const lost = "answer_lost" as const;
  faults.script("PutItem", [lost, undefined, lost, undefined, lost, undefined, lost, undefined, lost]);
  await store.start({ changesetId, planId: "p" });
  await store.append(changesetId, changes(0));
  await store.seal(changesetId, digest);
  assert.equal(faults.injected(), 5);
  const found = await store.get(changesetId);
  assert.deepEqual(found, { changesetId, planId: "p", entries: changes(0).entries, state: "sealed", digest });
});

test("content and entries that no item can hold lie in the content store (F6)", async () => {
  const changesetId = "large";
  const store = storeOn(aws.dynamodb());
  await store.start({ changesetId, planId: "p" });
  const bytes = randomBytes(3 * 1024 * 1024);
  const many: DecisionChanges = {
    ...changes(0, bytes),
    entries: Array.from({ length: 6000 }, (_, index) => ({
      decisionId: "d0",
      callOrdinal: 0,
      resource: "app",
      path: `${index}-${randomBytes(20).toString("hex")}`,
      kind: "create",
      before: null,
      after: contentState(bytes.subarray(index, index + 1), "100644"),
    })),
  };
  await store.append(changesetId, many);
  assert.equal((await store.get(changesetId))?.entries.length, 6000);
  const back = await store.content(changesetId, contentState(bytes, "100644").sha256);
  assert.equal(Buffer.compare(back ?? new Uint8Array(), bytes), 0);
});

test("another tenant sees neither changeset nor content", async () => {
  const changesetId = "mine";
  const store = storeOn(aws.dynamodb());
  await store.start({ changesetId, planId: "p" });
  await store.append(changesetId, changes(0));
  const other = storeOn(aws.dynamodb(), { tenant: "other" });
  assert.equal(await other.get(changesetId), undefined);
  const [sha256 = ""] = changes(0).contents.keys();
  assert.equal(await other.content(changesetId, sha256), undefined);
});

test("an append of a small edit writes two units, and reads two heads", async () => {
  const changesetId = "counted-units";
  const client = aws.dynamodb();
  const store = storeOn(client);
  await store.start({ changesetId, planId: "p" });
  const counter = countCapacity(client);
  await store.append(changesetId, changes(0, Buffer.from("const answer = 42;\n".repeat(100))));
  const { writeUnits, readUnits, requests } = counter.total();
  assert.deepEqual({ writeUnits, readUnits, requests }, { writeUnits: 2, readUnits: 2, requests: 4 });
});
