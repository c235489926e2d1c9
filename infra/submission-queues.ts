import type { SubmissionQueues } from "#lib/submission/submission-queues.ts";
import type { QueueTopology, SubmissionQueueTopology, Topology } from "./topology-shape.ts";

const daySeconds = 86_400;

export const deadLetterQueueOf = (name: string): string => `${name}DeadLetter`;

/**
 * A topology with these submissions queues in place of those that it had. Dead letters have no consumer: what was refused waits
 * there for the operator, who sees it in the alarm of the queue.
 */
export const withSubmissionQueues = (
  topology: Topology,
  submissions: readonly SubmissionQueueTopology[],
): Topology => {
  const former = new Set(topology.submissions.flatMap(({ name }) => [name, deadLetterQueueOf(name)]));
  const others = Object.entries(topology.queues).filter(([name]) => !former.has(name));
  return {
    ...topology,
    queues: { ...Object.fromEntries(others), ...Object.fromEntries(submissions.flatMap(queuesOf)) },
    submissions,
  };
};

const queuesOf = ({ name }: SubmissionQueueTopology): readonly (readonly [string, QueueTopology])[] => [
  [
    name,
    {
      visibilityTimeoutSeconds: 360,
      retentionSeconds: 4 * daySeconds,
      deadLetter: { queue: deadLetterQueueOf(name), maximumReceiveCount: 5 },
      consumer: { function: "executeSubmissions", batchSize: 5, maximumConcurrency: 10 },
    },
  ],
  [deadLetterQueueOf(name), { visibilityTimeoutSeconds: 60, retentionSeconds: 14 * daySeconds }],
];

/** A queue as a renderer made it. */
export interface RenderedQueue {
  /** The last part of its ARN. */
  readonly physicalName: string;
  readonly url: string;
}

/** What the function on the submissions queues is told (`SUBMISSION_QUEUES`), once the queues are there. */
export const submissionQueuesDocument = (
  { submissions }: Pick<Topology, "submissions">,
  rendered: (queue: string) => RenderedQueue,
): SubmissionQueues =>
  Object.fromEntries(
    submissions.map(({ name, tenant, principal, scopes }) => {
      const { physicalName, url } = rendered(name);
      const { url: deadLetterUrl } = rendered(deadLetterQueueOf(name));
      return [physicalName, { tenant, principal, scopes: [...scopes], queueUrl: url, deadLetterUrl }];
    }),
  );
