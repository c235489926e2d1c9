import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import { documentClient } from "../table/document-client.ts";
import { textAttribute } from "../table/item-attributes.ts";
import { openRunsIndex } from "../table/table-definition.ts";
import { type TableItem, tableItem } from "../table/table-item.ts";
import { runOfFrontierKey, type TableKey, tenDigits } from "../table/table-keys.ts";
import { translateFault } from "../table/translate-fault.ts";
import { openRunsPartition, openRunsShards } from "./frontier-item.ts";
import type { OpenRuns, RunKey } from "./run-store.ts";

const { partitionKey, sortKey } = openRunsIndex;

const cursorShape = z.object({
  shard: z.int().check(z.nonnegative(), z.lt(openRunsShards)),
  after: z.optional(z.object({ pk: z.string(), sk: z.string(), on: z.string() })),
});
type Position = z.infer<typeof cursorShape>;

/**
 * Open runs that are due, by the sparse index, one shard after another, within a shard the longest due first. A page may
 * hold fewer than `limit` and still have a cursor.
 */
export function dynamodbOpenRuns(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): OpenRuns {
  const { tableName } = options;
  const client = documentClient(options.client);

  const queryShard = async (position: Position, dueUntil: string, limit: number) => {
    const shard = openRunsPartition(position.shard);
    const { after } = position;
    try {
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openRunsIndex.name,
          KeyConditionExpression: "#p = :p AND #s <= :s",
          ExpressionAttributeNames: { "#p": partitionKey, "#s": sortKey },
          ExpressionAttributeValues: { ":p": shard, ":s": dueUntil },
          Limit: limit,
          ...(after === undefined
            ? {}
            : {
                ExclusiveStartKey: {
                  pk: after.pk,
                  sk: after.sk,
                  [partitionKey]: shard,
                  [sortKey]: after.on,
                },
              }),
        }),
      );
      const last = page.LastEvaluatedKey;
      return {
        items: (page.Items ?? []).map(tableItem),
        last: last === undefined ? undefined : tableItem(last),
      };
    } catch (fault) {
      throw translateFault(fault, `list open runs in table ${tableName}`);
    }
  };

  return {
    async due({ nowEpochSeconds, limit, cursor }) {
      const dueUntil = tenDigits(nowEpochSeconds, "nowEpochSeconds");
      const runs: RunKey[] = [];
      let position: Position | undefined = cursor === undefined ? { shard: 0 } : parseCursor(cursor);
      while (position !== undefined && runs.length < limit) {
        const page = await queryShard(position, dueUntil, limit - runs.length);
        for (const item of page.items) {
          const run = runOfFrontierKey(keyOf(item));
          if (run !== undefined) runs.push(run);
        }
        position = nextPosition(position, page.last);
      }
      return { runs, ...(position === undefined ? {} : { cursor: formatCursor(position) }) };
    },
  };
}

const keyOf = (item: TableItem): TableKey => ({
  pk: textAttribute(item, "pk"),
  sk: textAttribute(item, "sk"),
});

function nextPosition(position: Position, last: TableItem | undefined): Position | undefined {
  if (last !== undefined) {
    return { shard: position.shard, after: { ...keyOf(last), on: textAttribute(last, sortKey) } };
  }
  return position.shard + 1 < openRunsShards ? { shard: position.shard + 1 } : undefined;
}

function formatCursor(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

function parseCursor(cursor: string): Position {
  try {
    return cursorShape.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch (cause) {
    throw new ValidationError({
      field: "cursor",
      message: "cursor is none that this listing gave. Leave it out to begin at the start.",
      cause,
    });
  }
}
