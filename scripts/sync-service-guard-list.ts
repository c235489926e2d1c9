import type { Guard } from "./guard-list.ts";

const batch = { test: "functions/sync/sync-batch.test.ts" } as const;
const items = { test: "functions/sync/item-endpoints.test.ts" } as const;

/** Guards of the service's side of the sync. */
export const syncServiceGuards: readonly Guard[] = [
  {
    name: "sync service: what stands there already is not written again",
    file: "lib/service/resource-revisions.ts",
    find: "latest.contentSha256 === content.contentSha256",
    replace: "false",
    ...batch,
    testName: "F5",
  },
  {
    name: "sync service: a write is made on the revision that it expects",
    file: "lib/service/resource-revisions.ts",
    find: "  expected === (latest?.revision ?? 0) ||",
    replace: "  true ||",
    ...batch,
    testName: "two clients at once",
  },
  {
    name: "sync service: a store's fault is the item's, and not the batch's",
    file: "lib/service/sync-batch.ts",
    find: 'if (error.retryable) return { status: "unprocessed" };',
    replace: "if (error.retryable) throw error;",
    ...batch,
    testName: "F7",
  },
  {
    name: "sync service: a batch has one operation a resource",
    file: "lib/service/sync-batch.ts",
    find: "  checkDistinct(operations);",
    replace: "",
    ...batch,
    testName: "cannot be meant",
  },
  {
    name: "sync service: writes need a scope of their own",
    file: "functions/sync/sync-endpoints.ts",
    find: 'op !== "get")',
    replace: "false && op)",
    ...batch,
    testName: "may only read",
  },
  {
    name: "sync service: a reply is bounded",
    file: "lib/service/sync-batch.ts",
    find: "budget.bytes + sizeBytes > replyItemBytes",
    replace: "budget.bytes > Infinity",
    ...batch,
    testName: "a reply stays within",
  },
  {
    name: "sync service: an item is bounded",
    file: "lib/service/sync-batch.ts",
    find: "if (sizeBytes > syncLimits.itemBytes)",
    replace: "if (sizeBytes < 0)",
    ...batch,
    testName: "above 1 MiB",
  },
  {
    name: "sync service: a project keeps what was synced of it",
    file: "lib/service/projects.ts",
    find: "...(item === undefined ? {} : { item }),",
    replace: "",
    ...items,
    testName: "a project that is synced",
  },
  {
    name: "sync service: a new item is written without a look before",
    file: "lib/resource/dynamodb-resource-store.ts",
    find: "if (record.revision === 1) return putFirst(record);",
    replace: "",
    test: "functions/sync/sync-cost.test.ts",
    testName: "a new item is two writes",
  },
  {
    name: "sync service: a create that finds something looks before it writes again",
    file: "lib/service/resource-revisions.ts",
    find: "const unseen = attempt === 0 && expectedRevision === 0;",
    replace: "const unseen = expectedRevision === 0;",
    test: "functions/sync/sync-cost.test.ts",
    testName: "a new item is two writes",
  },
  {
    name: "sync service: the first revision of the dead is finished by the next writer",
    file: "lib/resource/dynamodb-resource-store.ts",
    find: "if (latest === undefined) await moveLatest(standing);",
    replace: "",
    test: "lib/resource/dynamodb-resource-store.test.ts",
    testName: "the dead",
  },
];
