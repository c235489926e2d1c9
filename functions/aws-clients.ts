import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientSettings, customEndpointSettings } from "#lib/table/aws-client-settings.ts";
import type { AwsEnvironment } from "./environment.ts";

type Service = "DYNAMODB" | "S3" | "SQS";

const settings = (environment: AwsEnvironment, service: Service) => {
  const endpoint = environment[`AWS_ENDPOINT_URL_${service}`] ?? environment.AWS_ENDPOINT_URL;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  const sessionToken = environment.AWS_SESSION_TOKEN;
  return {
    region: environment.AWS_REGION,
    ...awsClientSettings,
    ...(endpoint === undefined ? {} : customEndpointSettings(endpoint)),
    // Without them in the environment the SDK looks where it always looks.
    ...(accessKeyId === undefined || secretAccessKey === undefined
      ? {}
      : {
          credentials: {
            accessKeyId,
            secretAccessKey,
            ...(sessionToken === undefined ? {} : { sessionToken }),
          },
        }),
  };
};

export const dynamodbClient = (environment: AwsEnvironment): DynamoDBClient =>
  new DynamoDBClient(settings(environment, "DYNAMODB"));
export const s3Client = (environment: AwsEnvironment): S3Client => new S3Client(settings(environment, "S3"));
export const sqsClient = (environment: AwsEnvironment): SQSClient =>
  new SQSClient(settings(environment, "SQS"));

/** A client for long polling: its answers take up to 20 s, and the poller itself tries again. */
export const pollingSqsClient = (environment: AwsEnvironment): SQSClient =>
  new SQSClient({
    ...settings(environment, "SQS"),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
