import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { translateFault } from "#lib/table/translate-fault.ts";

/** A queue as the embedded renderer needs it; `deadLetter` names another of the list. */
export interface QueueDefinition {
  readonly name: string;
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  readonly deadLetter?: { readonly queue: string; readonly maximumReceiveCount: number };
}

/**
 * Creates the queues that are missing and sets their attributes; answers their addresses by name. An address is made of the
 * client's endpoint and the path of the one that the service answers, since emulators answer host names that do not
 * resolve everywhere.
 */
export async function ensureQueues(options: {
  readonly client: SQSClient;
  readonly endpoint: string;
  readonly queues: readonly QueueDefinition[];
}): Promise<ReadonlyMap<string, string>> {
  const { client, endpoint, queues } = options;
  const urls = new Map<string, string>();
  for (const { name } of queues) {
    try {
      const created = await client.send(new CreateQueueCommand({ QueueName: name }));
      urls.set(name, new URL(new URL(created.QueueUrl ?? "").pathname, endpoint).href);
    } catch (fault) {
      throw translateFault(fault, `create queue ${name}`);
    }
  }
  const urlOf = (name: string): string => {
    const url = urls.get(name);
    if (url !== undefined) return url;
    throw new PlanledgerError({ code: "internal", message: `No queue of the topology is called '${name}'.` });
  };
  for (const queue of queues) {
    try {
      const redrive = queue.deadLetter && {
        deadLetterTargetArn: await arnOf(client, urlOf(queue.deadLetter.queue)),
        maxReceiveCount: queue.deadLetter.maximumReceiveCount,
      };
      await client.send(
        new SetQueueAttributesCommand({
          QueueUrl: urlOf(queue.name),
          Attributes: {
            VisibilityTimeout: String(queue.visibilityTimeoutSeconds),
            MessageRetentionPeriod: String(queue.retentionSeconds),
            ...(redrive === undefined ? {} : { RedrivePolicy: JSON.stringify(redrive) }),
          },
        }),
      );
    } catch (fault) {
      throw translateFault(fault, `set up queue ${queue.name}`);
    }
  }
  return urls;
}

async function arnOf(client: SQSClient, queueUrl: string): Promise<string> {
  const found = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ["QueueArn"] }),
  );
  return found.Attributes?.QueueArn ?? "";
}
