import { createHash } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import type { IdSource } from "../run/clock.ts";
import { phases } from "../run/phase.ts";
import { documentClient } from "../table/document-client.ts";
import { dynamodbTable, type KeyedItem } from "../table/dynamodb-table.ts";
import {
  bytesAttribute,
  numberAttribute,
  optionalNumber,
  requireVersion,
  textAttribute,
} from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import { expiryAttribute, openRunsIndex } from "../table/table-definition.ts";
import { damagedItem, type TableItem, tableItem } from "../table/table-item.ts";
import { deliveriesPartition, deliveryKey, deliveryOfKey, tenDigits } from "../table/table-keys.ts";
import { translateFault } from "../table/translate-fault.ts";
import type { Delivery, DeliveryKey } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";

/** Partitions of the index of what is pending. */
const shards = 4;
const keptSeconds = 30 * 86_400;
const { partitionKey, sortKey } = openRunsIndex;

const dictionary =
  '"code":"external_failed","message":"No connection to came about (ECONNREFUSED); nothing was sent."timed_out","address_refused","given_up"dropped","reason":"' +
  '"attempts":[{"atEpochMs":17,"durationMs":1,"outcome":{"kind":"answered","status":200}}],"kind":"delivered"}' +
  '{"webhookId":"01","messageId":"msg_","run":1,"phase":"completed","body":"{\\"type\\":\\"plan.phase_changed\\",\\"timestamp\\":\\"2026-' +
  '\\",\\"data\\":{\\"tenant\\":\\"\\",\\"planId\\":\\"\\",\\"run\\":1,\\"phase\\":\\"completed\\",\\"sequence\\":3,\\"digest\\":\\"' +
  '\\"counts\\":{\\"decisions\\":1,\\"final\\":1,\\"landed\\":1,\\"failed\\":0,\\"skipped\\":0}}}","state":{"kind":"pending","dueAtEpochMs":17';

const text = z.string();
const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("answered"), status: z.number() }),
  z.object({ kind: z.literal("failed"), code: text, message: text }),
]);
const stored = z.object({
  webhookId: text,
  messageId: text,
  run: z.number(),
  phase: z.enum(phases),
  body: text,
  state: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("pending"), dueAtEpochMs: z.number() }),
    z.object({ kind: z.enum(["delivered", "given_up"]) }),
    z.object({ kind: z.literal("dropped"), reason: text }),
  ]),
  attempts: z.array(z.object({ atEpochMs: z.number(), durationMs: z.number(), outcome })),
});

/**
 * Deliveries on DynamoDB, one item each below 1 KB but for much failure: `r` is its revision, `w` the write, `d` what the key
 * does not say. While it is pending two more attributes put it into the table's sparse index, in shards of its own. Items
 * expire after 30 days where the table lets them; nothing depends on it.
 */
export const dynamodbDeliveryStore = (options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly ids: IdSource;
}): DeliveryStore => {
  const { tableName, ids } = options;
  const table = dynamodbTable(options);
  const client = documentClient(options.client);

  const dueInShard = async (shard: number, until: string, limit: number): Promise<readonly DeliveryKey[]> => {
    try {
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openRunsIndex.name,
          KeyConditionExpression: "#p = :p AND #s <= :s",
          ExpressionAttributeNames: { "#p": partitionKey, "#s": sortKey },
          ExpressionAttributeValues: { ":p": shardName(shard), ":s": until },
          Limit: limit,
        }),
      );
      return (page.Items ?? []).map(tableItem).flatMap((item) => deliveryOfKey(tableKeyOf(item)) ?? []);
    } catch (fault) {
      throw translateFault(fault, `list pending deliveries in table ${tableName}`);
    }
  };

  return {
    async open(delivery) {
      const write = ids.ulid();
      const outcome = await table.putIfAbsent(encode(delivery, write));
      return outcome.written || outcome.standing?.w === write;
    },

    async get(key) {
      const item = await table.get(deliveryKey(key));
      return item === undefined ? undefined : decode(item);
    },

    async move(next) {
      const write = ids.ulid();
      const outcome = await table.putIf(encode(next, write), {
        expression: "r = :r",
        values: { ":r": next.revision - 1 },
      });
      return outcome.written || outcome.standing?.w === write;
    },

    async list({ tenant, listener, limit, cursor }) {
      const { items, more } = await table.query({
        pk: deliveriesPartition({ tenant, listener }),
        limit,
        newestFirst: true,
        ...(cursor === undefined ? {} : { after: checkedCursor(cursor) }),
      });
      const last = items.at(-1);
      return {
        deliveries: items.map(decode),
        ...(more && last !== undefined ? { cursor: textAttribute(last, "sk") } : {}),
      };
    },

    async due({ nowEpochSeconds, limit }) {
      const until = tenDigits(nowEpochSeconds, "nowEpochSeconds");
      const found = await Promise.all(
        Array.from({ length: shards }, (_, shard) => dueInShard(shard, until, limit)),
      );
      return found.flat().slice(0, limit);
    },
  };
};

const shardName = (shard: number): string => `DELIVERY#${shard}`;

const shardOf = (partition: string): number =>
  createHash("sha256").update(partition).digest().readUInt32BE() % shards;

const tableKeyOf = (item: TableItem) => ({ pk: textAttribute(item, "pk"), sk: textAttribute(item, "sk") });

function encode(delivery: Delivery, write: string): KeyedItem {
  const { v, tenant, listener, atEpochSeconds, planId, sequence, revision, lookAtEpochSeconds, ...rest } =
    delivery;
  const key = deliveryKey({ tenant, listener, atEpochSeconds, planId, sequence });
  return {
    ...key,
    v,
    r: revision,
    w: write,
    d: packJson(rest, dictionary),
    [expiryAttribute]: atEpochSeconds + keptSeconds,
    ...(lookAtEpochSeconds === undefined
      ? {}
      : {
          l: lookAtEpochSeconds,
          [partitionKey]: shardName(shardOf(`${key.pk} ${key.sk}`)),
          [sortKey]: tenDigits(lookAtEpochSeconds, "lookAtEpochSeconds"),
        }),
  };
}

function decode(item: TableItem): Delivery {
  requireVersion(item, 1);
  const key = deliveryOfKey(tableKeyOf(item));
  if (key === undefined) throw damagedItem(item, "its key is none of a delivery");
  const lookAtEpochSeconds = optionalNumber(item, "l");
  return {
    ...key,
    v: 1,
    revision: numberAttribute(item, "r"),
    ...unpackJson(bytesAttribute(item, "d"), { dictionary, schema: stored }),
    ...(lookAtEpochSeconds === undefined ? {} : { lookAtEpochSeconds }),
  };
}

function checkedCursor(cursor: string): string {
  if (/^\d{10}#[^#]{1,128}#\d{10}$/.test(cursor)) return cursor;
  throw new ValidationError({
    field: "cursor",
    message: "cursor is none that this listing gave. Leave it out to begin at the newest.",
  });
}
