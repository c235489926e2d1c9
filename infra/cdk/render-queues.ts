import { Duration, RemovalPolicy, type Stack, Validations } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Topology } from "../topology-shape.ts";
import type { DeploySettings } from "./deploy-settings.ts";

/** The queues by their names in the topology, dead-letter queues before those that name them. */
export function renderQueues(
  stack: Stack,
  topology: Topology,
  settings: DeploySettings,
): ReadonlyMap<string, Queue> {
  const rendered = new Map<string, Queue>();
  const render = (name: string): Queue => {
    const standing = rendered.get(name);
    if (standing !== undefined) return standing;
    const queue = topology.queues[name];
    if (queue === undefined) throw new Error(`The topology has no queue ${name}.`);
    const { deadLetter } = queue;
    const made = new Queue(stack, `${name}Queue`, {
      queueName: `${settings.name}-${name}`,
      visibilityTimeout: Duration.seconds(queue.visibilityTimeoutSeconds),
      retentionPeriod: Duration.seconds(queue.retentionSeconds),
      receiveMessageWaitTime: Duration.seconds(20),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(deadLetter === undefined
        ? {}
        : {
            deadLetterQueue: {
              queue: render(deadLetter.queue),
              maxReceiveCount: deadLetter.maximumReceiveCount,
            },
          }),
    });
    if (deadLetter === undefined) {
      Validations.of(made).acknowledge({
        id: "AwsSolutions-SQS3",
        reason:
          "It is a dead-letter queue itself; its consumer settles what comes, or the operator does (submissions).",
      });
    }
    rendered.set(name, made);
    return made;
  };
  for (const name of Object.keys(topology.queues)) render(name);
  return rendered;
}
