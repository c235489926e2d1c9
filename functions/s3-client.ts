import { S3Client } from "@aws-sdk/client-s3";
import { awsClientOptions } from "./aws-clients.ts";
import type { AwsEnvironment } from "./environment.ts";

export const s3Client = (environment: AwsEnvironment): S3Client =>
  new S3Client(awsClientOptions(environment, "S3"));
