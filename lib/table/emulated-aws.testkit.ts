import { after } from "node:test";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { startEmulators } from "../../infra/local/emulators/start-emulators.ts";
import { ensureBucket } from "../../infra/local/ensure-bucket.ts";
import { ensureTable } from "../../infra/local/ensure-table.ts";
import { awsClientSettings, customEndpointSettings } from "./aws-client-settings.ts";
import { tableDefinition } from "./table-definition.ts";

/** Emulators for the tests of one file, stopped after the last of them. */
export interface EmulatedAws {
  /** A new client each time, so that what a test adds to it stays its own. */
  dynamodb(): DynamoDBClient;
  s3(): S3Client;
  sqs(): SQSClient;
  sqsEndpoint(): string;
  newTable(): Promise<string>;
  newBucket(): Promise<string>;
}

const credentials = { accessKeyId: "test", secretAccessKey: "test" };

export async function emulatedAws(): Promise<EmulatedAws> {
  const emulators = await startEmulators();
  let count = 0;
  const clients: { destroy(): void }[] = [];
  after(async () => {
    for (const client of clients) client.destroy();
    await emulators.stop();
  });
  const kept = <C extends { destroy(): void }>(client: C): C => {
    clients.push(client);
    return client;
  };
  const settings = (endpoint: string) => ({
    region: "us-east-1",
    credentials,
    ...awsClientSettings,
    ...customEndpointSettings(endpoint),
  });
  const aws: EmulatedAws = {
    dynamodb: () => kept(new DynamoDBClient(settings(emulators.dynamodbEndpoint))),
    s3: () => kept(new S3Client(settings(emulators.s3Endpoint))),
    sqs: () => kept(new SQSClient(settings(emulators.sqsEndpoint))),
    sqsEndpoint: () => emulators.sqsEndpoint,
    async newTable() {
      count += 1;
      const tableName = `table-${count}`;
      await ensureTable({ client: aws.dynamodb(), tableName, definition: tableDefinition });
      return tableName;
    },
    async newBucket() {
      count += 1;
      const bucket = `bucket-${count}`;
      await ensureBucket({ client: aws.s3(), bucket });
      return bucket;
    },
  };
  return aws;
}
