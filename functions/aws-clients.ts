import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { awsClientSettings, customEndpointSettings } from "#lib/table/aws-client-settings.ts";
import type { AwsEnvironment } from "./environment.ts";

type Service = "DYNAMODB" | "S3" | "SQS" | "EVENTBRIDGE" | "KMS" | "SSM" | "SECRETS_MANAGER";

/** What a client is made with. The other services' clients stand in modules of their own, so that they can be loaded late. */
export const awsClientOptions = (environment: AwsEnvironment, service: Service) => {
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
  new DynamoDBClient(awsClientOptions(environment, "DYNAMODB"));
