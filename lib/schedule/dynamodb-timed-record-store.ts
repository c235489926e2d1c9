import { createHash } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type * as z from "zod/mini";
import type { IdSource } from "../run/clock.ts";
import { dynamodbTable, type KeyedItem } from "../table/dynamodb-table.ts";
import {
  bytesAttribute,
  numberAttribute,
  optionalNumber,
  requireVersion,
  textAttribute,
} from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import { openRunsIndex } from "../table/table-definition.ts";
import type { TableItem } from "../table/table-item.ts";
import { tenDigits, timedRecordKey, timedRecordsPartition } from "../table/table-keys.ts";
import { duePartition, dueShards } from "./due-shards.ts";
import {
  type DeletedRecord,
  isDeleted,
  type TimedKey,
  type TimedKind,
  type TimedRecord,
} from "./timed-record.ts";
import type { TimedRecordStore } from "./timed-record-store.ts";

const dictionary =
  '"automationProfile":"manual","projectResources":{"app":{"project":"local/,"access":"write"}},"resourceBindings":{"args":{"message":"' +
  '"problem":{"code":"validation_failed","field":"/outcome":"failed","missed","count":1,"more":false,"untilEpochMs":17' +
  '"outcome":"submitted","planId":"schedule..20","forEpochMs":17,"atEpochMs":17,"runs":[{"cron":" * * *","timeZone":"UTC","request":{"action":"local/' +
  '"principal":"savedBy":"savedAtEpochMs":17,"createdAtEpochMs":17,"paused":false,"nextAtEpochMs":17,"from":{"kind":"service","url":"https://"token":"secret:';

/**
 * Timed records on DynamoDB: one item each, `r` its revision, `w` the write (so that a put whose answer was lost finds its
 * own), `d` what the key does not say; a deleted one has no `d`. While somebody has to look at it, two more attributes put it
 * into the table's index, beside open runs.
 */
export function dynamodbTimedRecordStore<Rest extends object>(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly ids: IdSource;
  readonly kind: TimedKind;
  /** Of a live record without key, version, revision and the time of its next look. */
  readonly schema: z.ZodMiniType<Rest>;
}): TimedRecordStore<TimedRecord & Rest> {
  type Live = TimedRecord & Rest;
  const { ids, kind, schema } = options;
  const table = dynamodbTable(options);

  const encode = (record: Live | DeletedRecord, write: string): KeyedItem => {
    const { v, tenant, name, revision, lookAtEpochSeconds, ...rest } = record;
    return {
      ...timedRecordKey({ kind, tenant, name }),
      v,
      r: revision,
      w: write,
      ...(isDeleted(record) ? {} : { d: packJson(rest, dictionary) }),
      ...(lookAtEpochSeconds === undefined
        ? {}
        : {
            l: lookAtEpochSeconds,
            [openRunsIndex.partitionKey]: duePartition(shardOf({ tenant, name })),
            [openRunsIndex.sortKey]: tenDigits(lookAtEpochSeconds, "lookAtEpochSeconds"),
          }),
    };
  };

  const decode = (key: TimedKey, item: TableItem): Live | DeletedRecord => {
    requireVersion(item, 1);
    const { tenant, name } = key;
    const head = { v: 1 as const, tenant, name, revision: numberAttribute(item, "r") };
    if (item.d === undefined) return { ...head, deleted: true };
    const rest = unpackJson(bytesAttribute(item, "d"), { dictionary, schema });
    const lookAtEpochSeconds = optionalNumber(item, "l");
    return { ...rest, ...head, ...(lookAtEpochSeconds === undefined ? {} : { lookAtEpochSeconds }) };
  };

  return {
    async get(key) {
      const item = await table.get(timedRecordKey({ kind, ...key }));
      return item === undefined ? undefined : decode(key, item);
    },

    async put(record) {
      const write = ids.ulid();
      const item = encode(record, write);
      const outcome =
        record.revision === 1
          ? await table.putIfAbsent(item)
          : await table.putIf(item, { expression: "r = :r", values: { ":r": record.revision - 1 } });
      return outcome.written || outcome.standing?.w === write;
    },

    async list({ tenant, limit, cursor }) {
      const { items, more } = await table.query({
        pk: timedRecordsPartition({ kind, tenant }),
        limit,
        ...(cursor === undefined ? {} : { after: cursor }),
      });
      const records = items.flatMap((item) => {
        const record = decode({ tenant, name: textAttribute(item, "sk") }, item);
        return isDeleted(record) ? [] : [record];
      });
      const last = items.at(-1);
      return { records, ...(more && last !== undefined ? { cursor: textAttribute(last, "sk") } : {}) };
    },
  };
}

const shardOf = ({ tenant, name }: TimedKey): number =>
  createHash("sha256")
    .update(JSON.stringify([tenant, name]))
    .digest()
    .readUInt32BE() % dueShards;
