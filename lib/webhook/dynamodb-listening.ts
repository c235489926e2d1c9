import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { optionalNumber } from "../table/item-attributes.ts";
import { webhooksKey } from "../table/table-keys.ts";

/** Whether a tenant has a webhook that is not disabled: the count stands beside what only deliveries read. */
export const dynamodbListening = (options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): ((tenant: string) => Promise<boolean>) => {
  const table = dynamodbTable(options);
  return async (tenant) => {
    const item = await table.get(webhooksKey(tenant));
    return item !== undefined && (optionalNumber(item, "n") ?? 0) > 0;
  };
};
