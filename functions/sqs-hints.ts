import type { HintQueue } from "#lib/run/run-store.ts";
import { sqsHintQueue } from "#lib/run/sqs-hint-queue.ts";
import type { AwsEnvironment } from "./environment.ts";
import { sqsClient } from "./sqs-client.ts";

/** Hints on a queue of SQS. */
export const sqsHints = (environment: AwsEnvironment, queueUrl: string): HintQueue =>
  sqsHintQueue({ client: sqsClient(environment), queueUrl });
