import type { SourceQueue } from "#lib/source/source-message.ts";
import { sqsSourceQueue } from "#lib/source/sqs-source-queue.ts";
import type { AwsEnvironment } from "./environment.ts";
import { sqsClient } from "./sqs-client.ts";

/** Word of sync sources that are due, on a queue of SQS. */
export const sqsSources = (environment: AwsEnvironment, queueUrl: string): SourceQueue =>
  sqsSourceQueue({ client: sqsClient(environment), queueUrl });
