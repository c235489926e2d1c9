import assert from "node:assert/strict";
import { test } from "node:test";
import { ulid } from "ulid";
import * as z from "zod/mini";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { dynamodbDueRecords } from "./dynamodb-due-records.ts";
import { dynamodbTimedRecordStore } from "./dynamodb-timed-record-store.ts";
import type { TimedKind } from "./timed-record.ts";
import { timedRecordsContract } from "./timed-records.contract.ts";

const aws = await emulatedAws();
const schema = z.object({ note: z.string() });
const ids = { ulid: () => ulid() };

timedRecordsContract("dynamodb", async () => {
  const at = { client: aws.dynamodb(), tableName: await aws.newTable() };
  const store = (kind: TimedKind) => dynamodbTimedRecordStore({ ...at, ids, kind, schema });
  return { schedules: store("schedules"), sources: store("sources"), due: dynamodbDueRecords(at) };
});

test("a put that was carried out and whose answer was lost counts as written", async () => {
  const client = aws.dynamodb();
  const faults = injectFaults(client);
  const store = dynamodbTimedRecordStore({
    client,
    tableName: await aws.newTable(),
    ids,
    kind: "schedules",
    schema,
  });
  const record = { v: 1, tenant: "acme", name: "a", revision: 1, note: "n" } as const;
  faults.script("PutItem", ["answer_lost"]);
  assert.equal(await store.put(record), true);
  faults.script("PutItem", ["answer_lost"]);
  assert.equal(await store.put({ ...record, revision: 2 }), true);
  assert.equal(faults.injected(), 2);
});
