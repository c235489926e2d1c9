import {
  type AttributeValue,
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { TableKey } from "./table-keys.ts";
import { translateFault } from "./translate-fault.ts";

export type TableItem = Record<string, AttributeValue>;

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
  putIfAbsent(item: TableItem): Promise<PutOutcome>;
  putIf(item: TableItem, condition: PutCondition): Promise<PutOutcome>;
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
  const { client, tableName, pause = growingPause } = options;

  const get = async (key: TableKey): Promise<TableItem | undefined> => {
    try {
      const found = await client.send(
        new GetItemCommand({ TableName: tableName, Key: keyAttributes(key), ConsistentRead: true }),
      );
      return found.Item;
    } catch (fault) {
      throw translateFault(fault, `read ${key.sk} of ${key.pk} in table ${tableName}`);
    }
  };

  const putIf = async (item: TableItem, condition: PutCondition): Promise<PutOutcome> => {
    try {
      await client.send(
        new PutItemCommand({
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
      const key = { pk: item.pk?.S ?? "", sk: item.sk?.S ?? "" };
      if (!(fault instanceof ConditionalCheckFailedException)) {
        throw translateFault(fault, `write ${key.sk} of ${key.pk} in table ${tableName}`);
      }
      // Not every endpoint answers with the item.
      return { written: false, standing: fault.Item ?? (await get(key)) };
    }
  };

  const getBatch = async (keys: readonly TableKey[]): Promise<readonly TableItem[]> => {
    const items: TableItem[] = [];
    let left: TableItem[] = keys.map(keyAttributes);
    for (let attempt = 1; left.length > 0; attempt++) {
      if (attempt > batchAttempts) {
        throw new InfrastructureError({
          message: `Could not read ${left.length} of ${keys.length} items in table ${tableName}: still unprocessed after ${batchAttempts} attempts.`,
        });
      }
      if (attempt > 1) await pause(attempt - 1);
      try {
        const found = await client.send(
          new BatchGetItemCommand({ RequestItems: { [tableName]: { Keys: left, ConsistentRead: true } } }),
        );
        items.push(...(found.Responses?.[tableName] ?? []));
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
            ExpressionAttributeValues: { ":pk": { S: query.pk }, ...between.values },
            ConsistentRead: true,
            Limit: query.limit,
            ScanIndexForward: query.newestFirst !== true,
            ...(query.after === undefined
              ? {}
              : { ExclusiveStartKey: keyAttributes({ pk: query.pk, sk: query.after }) }),
          }),
        );
        return { items: page.Items ?? [], more: page.LastEvaluatedKey !== undefined };
      } catch (fault) {
        throw translateFault(fault, `list ${query.pk} in table ${tableName}`);
      }
    },
  };
}

export const keyAttributes = (key: TableKey): TableItem => ({ pk: { S: key.pk }, sk: { S: key.sk } });

function sortKeyCondition(query: TableQuery): { readonly expression: string; readonly values: TableItem } {
  const { from, to } = query;
  if (from !== undefined && to !== undefined) {
    return {
      expression: " AND sk BETWEEN :from AND :to",
      values: { ":from": { S: from }, ":to": { S: to } },
    };
  }
  if (from !== undefined) return { expression: " AND sk >= :from", values: { ":from": { S: from } } };
  if (to !== undefined) return { expression: " AND sk <= :to", values: { ":to": { S: to } } };
  return { expression: "", values: {} };
}

/** Doubles from 25 ms to 3.2 s: the table's own partitions need seconds to grow. */
function growingPause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 25 * 2 ** Math.min(attempt - 1, 7)));
}
