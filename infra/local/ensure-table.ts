import {
  CreateTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import type { TableDefinition } from "#lib/table/table-definition.ts";
import { translateFault } from "#lib/table/translate-fault.ts";

/** Creates the table if there is none of this name; it is active when this returns. An existing one is left as it is. */
export async function ensureTable(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly definition: TableDefinition;
}): Promise<void> {
  const { client, tableName, definition } = options;
  const keysOf = (keys: { readonly partitionKey: string; readonly sortKey: string }) => [
    { AttributeName: keys.partitionKey, KeyType: "HASH" as const },
    { AttributeName: keys.sortKey, KeyType: "RANGE" as const },
  ];
  const attributes = [definition, ...definition.indexes].flatMap((keys) => [keys.partitionKey, keys.sortKey]);
  try {
    await client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: "PAY_PER_REQUEST",
        KeySchema: keysOf(definition),
        AttributeDefinitions: [...new Set(attributes)].map((name) => ({
          AttributeName: name,
          AttributeType: "S",
        })),
        ...(definition.indexes.length === 0
          ? {}
          : {
              GlobalSecondaryIndexes: definition.indexes.map((index) => ({
                IndexName: index.name,
                KeySchema: keysOf(index),
                Projection: { ProjectionType: index.projection },
              })),
            }),
      }),
    );
  } catch (fault) {
    if (!(fault instanceof ResourceInUseException)) throw translateFault(fault, `create table ${tableName}`);
  }
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 2 }, { TableName: tableName });
}
