import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { documentClient } from "../table/document-client.ts";
import { textAttribute } from "../table/item-attributes.ts";
import { openRunsIndex } from "../table/table-definition.ts";
import { tableItem } from "../table/table-item.ts";
import { tenDigits, timedRecordOfKey } from "../table/table-keys.ts";
import { translateFault } from "../table/translate-fault.ts";
import { duePartition, dueShards } from "./due-shards.ts";
import { isTimedKind } from "./timed-record.ts";
import type { DueRecords } from "./timed-record-store.ts";

const { partitionKey, sortKey } = openRunsIndex;

/** What is due by the table's sparse index: one query a shard, side by side, merged by time. */
export function dynamodbDueRecords(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): DueRecords {
  const { tableName } = options;
  const client = documentClient(options.client);

  const dueInShard = async (shard: number, dueUntil: string, limit: number) => {
    try {
      const page = await client.send(
        new QueryCommand({
          TableName: tableName,
          IndexName: openRunsIndex.name,
          KeyConditionExpression: "#p = :p AND #s <= :s",
          ExpressionAttributeNames: { "#p": partitionKey, "#s": sortKey },
          ExpressionAttributeValues: { ":p": duePartition(shard), ":s": dueUntil },
          Limit: limit,
        }),
      );
      return (page.Items ?? []).map(tableItem).flatMap((item) => {
        const key = timedRecordOfKey({ pk: textAttribute(item, "pk"), sk: textAttribute(item, "sk") });
        if (key === undefined || !isTimedKind(key.kind)) return [];
        return [{ at: textAttribute(item, sortKey), key: { ...key, kind: key.kind } }];
      });
    } catch (fault) {
      throw translateFault(fault, `list what is due in table ${tableName}`);
    }
  };

  return {
    async due({ nowEpochSeconds, limit }) {
      const dueUntil = tenDigits(nowEpochSeconds, "nowEpochSeconds");
      const shards = await Promise.all(
        Array.from({ length: dueShards }, (_, shard) => dueInShard(shard, dueUntil, limit)),
      );
      return shards
        .flat()
        .sort((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)))
        .slice(0, limit)
        .map(({ key }) => key);
    },
  };
}
