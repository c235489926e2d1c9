import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "./aws-clients.ts";
import type { AwsEnvironment } from "./environment.ts";

export const sqsClient = (environment: AwsEnvironment): SQSClient =>
  new SQSClient(awsClientOptions(environment, "SQS"));

/** A client for long polling: its answers take up to 20 s, and the poller itself tries again. */
export const pollingSqsClient = (environment: AwsEnvironment): SQSClient =>
  new SQSClient({
    ...awsClientOptions(environment, "SQS"),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
