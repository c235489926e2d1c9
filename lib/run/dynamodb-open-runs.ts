import { type DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import { openRunsIndex } from "../table/table-definition.ts";
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
  const { client, tableName } = options;

  const queryShard = async (position: Position, dueUntil: string, limit: number) => {
    const shard = openRunsPartition(position.shard);
    const { after } = position;
    try {
      return await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openRunsIndex.name,
          KeyConditionExpression: "#p = :p AND #s <= :s",
          ExpressionAttributeNames: { "#p": partitionKey, "#s": sortKey },
          ExpressionAttributeValues: { ":p": { S: shard }, ":s": { S: dueUntil } },
          Limit: limit,
          ...(after === undefined
            ? {}
            : {
                ExclusiveStartKey: {
                  pk: { S: after.pk },
                  sk: { S: after.sk },
                  [partitionKey]: { S: shard },
                  [sortKey]: { S: after.on },
                },
              }),
        }),
      );
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
        for (const item of page.Items ?? []) {
          const run = runOfFrontierKey({ pk: item.pk?.S ?? "", sk: item.sk?.S ?? "" });
          if (run !== undefined) runs.push(run);
        }
        position = nextPosition(position, page.LastEvaluatedKey);
      }
      return { runs, ...(position === undefined ? {} : { cursor: formatCursor(position) }) };
    },
  };
}

function nextPosition(
  position: Position,
  lastKey: Readonly<Record<string, { readonly S?: string | undefined }>> | undefined,
): Position | undefined {
  if (lastKey !== undefined) {
    const key: TableKey = { pk: lastKey.pk?.S ?? "", sk: lastKey.sk?.S ?? "" };
    return { shard: position.shard, after: { ...key, on: lastKey[sortKey]?.S ?? "" } };
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
