import { ConditionalCheckFailedException, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { documentClient } from "./document-client.ts";
import { type TableItem, tableItem } from "./table-item.ts";
import type { TableKey } from "./table-keys.ts";
import { translateFault } from "./translate-fault.ts";

/** An item to write. */
export type KeyedItem = TableItem & TableKey;

/** A write either happened, or its condition failed on what stands there. */
export type PutOutcome =
  | { readonly written: true }
  | { readonly written: false; readonly standing: TableItem | undefined };

export interface PutCondition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: TableItem;
}

export interface TableQuery {
  readonly pk: string;
  /** Inclusive bounds of the sort key. */
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly newestFirst?: boolean;
  /** Read on behind this sort key. */
  readonly after?: string;
}

/** The few operations that the stores are made of. Reads are strongly consistent; faults come as errors of ours. */
export interface DynamodbTable {
  get(key: TableKey): Promise<TableItem | undefined>;
  /** Items that exist, in no order. What the service leaves unprocessed is asked for again (F7). */
  getMany(keys: readonly TableKey[]): Promise<readonly TableItem[]>;
  putIfAbsent(item: KeyedItem): Promise<PutOutcome>;
  putIf(item: KeyedItem, condition: PutCondition): Promise<PutOutcome>;
  /** One page; `more` when there may be items behind the last one. */
  query(query: TableQuery): Promise<{ readonly items: readonly TableItem[]; readonly more: boolean }>;
}

const batchSize = 100;
const batchAttempts = 8;

/**
 * A repeated put, after an answer that was lost, finds its own first one: `written` is false then and `standing` is the very
 * item. Whoever needs to know who wrote must compare.
 */
export function dynamodbTable(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  /** Waits between attempts at a batch; attempts count from 1. */
  readonly pause?: (attempt: number) => Promise<void>;
}): DynamodbTable {
  const { tableName, pause = growingPause } = options;
  const client = documentClient(options.client);

  const get = async (key: TableKey): Promise<TableItem | undefined> => {
    try {
      const found = await client.send(
        new GetCommand({ TableName: tableName, Key: { ...key }, ConsistentRead: true }),
      );
      return found.Item === undefined ? undefined : tableItem(found.Item);
    } catch (fault) {
      throw translateFault(fault, `read ${key.sk} of ${key.pk} in table ${tableName}`);
    }
  };

  const putIf = async (item: KeyedItem, condition: PutCondition): Promise<PutOutcome> => {
    try {
      await client.send(
        new PutCommand({
          TableName: tableName,
          Item: item,
          ConditionExpression: condition.expression,
          ...(condition.names === undefined ? {} : { ExpressionAttributeNames: condition.names }),
          ...(condition.values === undefined ? {} : { ExpressionAttributeValues: condition.values }),
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return { written: true };
    } catch (fault) {
      if (!(fault instanceof ConditionalCheckFailedException)) {
        throw translateFault(fault, `write ${item.sk} of ${item.pk} in table ${tableName}`);
      }
      // Not every endpoint answers with the item.
      const standing =
        fault.Item === undefined
          ? await get({ pk: item.pk, sk: item.sk })
          : tableItem(unmarshall(fault.Item));
      return { written: false, standing };
    }
  };

  const getBatch = async (keys: readonly TableKey[]): Promise<readonly TableItem[]> => {
    const items: TableItem[] = [];
    let left: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }));
    for (let attempt = 1; left.length > 0; attempt++) {
      if (attempt > batchAttempts) {
        throw new InfrastructureError({
          message: `Could not read ${left.length} of ${keys.length} items in table ${tableName}: still unprocessed after ${batchAttempts} attempts.`,
        });
      }
      if (attempt > 1) await pause(attempt - 1);
      try {
        const found = await client.send(
          new BatchGetCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } }),
        );
        items.push(...(found.Responses?.[tableName] ?? []).map(tableItem));
        left = found.UnprocessedKeys?.[tableName]?.Keys ?? [];
      } catch (fault) {
        throw translateFault(fault, `read ${left.length} items in table ${tableName}`);
      }
    }
    return items;
  };

  return {
    get,
    putIf,
    putIfAbsent: (item) => putIf(item, { expression: "attribute_not_exists(pk)" }),
    async getMany(keys) {
      const items: TableItem[] = [];
      for (let start = 0; start < keys.length; start += batchSize) {
        items.push(...(await getBatch(keys.slice(start, start + batchSize))));
      }
      return items;
    },
    async query(query) {
      const between = sortKeyCondition(query);
      try {
        const page = await client.send(
          new QueryCommand({
            TableName: tableName,
            KeyConditionExpression: `pk = :pk${between.expression}`,
            ExpressionAttributeValues: { ":pk": query.pk, ...between.values },
            ConsistentRead: true,
            Limit: query.limit,
            ScanIndexForward: query.newestFirst !== true,
            ...(query.after === undefined ? {} : { ExclusiveStartKey: { pk: query.pk, sk: query.after } }),
          }),
        );
        return { items: (page.Items ?? []).map(tableItem), more: page.LastEvaluatedKey !== undefined };
      } catch (fault) {
        throw translateFault(fault, `list ${query.pk} in table ${tableName}`);
      }
    },
  };
}

function sortKeyCondition(query: TableQuery): { readonly expression: string; readonly values: TableItem } {
  const { from, to } = query;
  if (from !== undefined && to !== undefined) {
    return {
      expression: " AND sk BETWEEN :from AND :to",
      values: { ":from": from, ":to": to },
    };
  }
  if (from !== undefined) return { expression: " AND sk >= :from", values: { ":from": from } };
  if (to !== undefined) return { expression: " AND sk <= :to", values: { ":to": to } };
  return { expression: "", values: {} };
}

/** Doubles from 25 ms to 3.2 s: the table's own partitions need seconds to grow. */
function growingPause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 25 * 2 ** Math.min(attempt - 1, 7)));
}
