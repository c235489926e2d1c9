import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import type { SubmissionQueues } from "#lib/submission/submission-queues.ts";
import type { SubmissionReturns } from "#lib/submission/submission-returns.ts";
import {
  type AwsEnvironment,
  type Environment,
  readEnvironment,
  submissionsEnvironment,
} from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { loadedOnce } from "../loaded-once.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { wireQuotas } from "../quotas.ts";
import { wireHints, wireMovingStores, wireTools } from "../run-ports.ts";
import { submitOnMessage } from "./submit-on-message.ts";

/** Entry: the consumer of the submissions queues. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const settings = readEnvironment(submissionsEnvironment, environment);
  const stores = wireMovingStores(settings, ports);
  const { client, tableName, contentOf } = stores;
  const queues = settings.SUBMISSION_QUEUES;
  return queueFunction({
    log: ports.log,
    handle: submitOnMessage({
      ...stores,
      resources: dynamodbResourceStore({ client, tableName, content: contentOf }),
      hints: wireHints(settings),
      tools: wireTools(),
      quota: wireQuotas(environment, settings, ports.clock).submissions,
      queues,
      returns: lateReturns(settings, queues),
      clock: ports.clock,
      ids: ports.ids,
      random: ports.random,
      log: ports.log,
    }),
  });
};

/** The client of SQS is loaded for the first message that goes back. */
const lateReturns = (environment: AwsEnvironment, queues: SubmissionQueues): SubmissionReturns => {
  const returns = loadedOnce(async () => {
    const { submissionReturns } = await import("../submission-returns.ts");
    return submissionReturns(environment, queues);
  });
  return {
    later: async (message, again) => (await returns()).later(message, again),
    refuse: async (message, refusal) => (await returns()).refuse(message, refusal),
  };
};

export const handler = lazyHandler(() => createHandler(process.env));
