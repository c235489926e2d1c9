import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { sqsSubmissionReturns } from "#lib/submission/sqs-submission-returns.ts";
import { type Environment, readEnvironment, submissionsEnvironment } from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { wireHints, wirePlanStores } from "../run-ports.ts";
import { serviceTools } from "../service-tools.ts";
import { sqsClient } from "../sqs-client.ts";
import { submitOnMessage } from "./submit-on-message.ts";

/** Entry: the consumer of the submissions queues. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const settings = readEnvironment(submissionsEnvironment, environment);
  const stores = wirePlanStores(settings, ports);
  const { client, tableName, contentOf } = stores;
  const queues = settings.SUBMISSION_QUEUES;
  return queueFunction({
    log: ports.log,
    handle: submitOnMessage({
      ...stores,
      resources: dynamodbResourceStore({ client, tableName, content: contentOf }),
      hints: wireHints(settings),
      tools: serviceTools(),
      queues,
      returns: sqsSubmissionReturns({ client: sqsClient(settings), queues }),
      clock: ports.clock,
      ids: ports.ids,
      random: ports.random,
      log: ports.log,
    }),
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
