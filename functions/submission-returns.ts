import { sqsSubmissionReturns } from "#lib/submission/sqs-submission-returns.ts";
import type { SubmissionQueues } from "#lib/submission/submission-queues.ts";
import type { SubmissionReturns } from "#lib/submission/submission-returns.ts";
import type { AwsEnvironment } from "./environment.ts";
import { sqsClient } from "./sqs-client.ts";

/** Queues of SQS for submissions that were not taken. */
export const submissionReturns = (environment: AwsEnvironment, queues: SubmissionQueues): SubmissionReturns =>
  sqsSubmissionReturns({ client: sqsClient(environment), queues });
