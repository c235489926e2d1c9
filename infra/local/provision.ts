import { dynamodbClient } from "#functions/aws-clients.ts";
import type { AwsEnvironment, Environment } from "#functions/environment.ts";
import { s3Client } from "#functions/s3-client.ts";
import { sqsClient } from "#functions/sqs-client.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { submissionQueuesDocument } from "../submission-queues.ts";
import type { Topology } from "../topology-shape.ts";
import { ensureBucket } from "./ensure-bucket.ts";
import { ensureQueues } from "./ensure-queues.ts";
import { ensureTable } from "./ensure-table.ts";

/** What the topology's stores are called at an endpoint, and where its queues are. */
export interface Provisioned {
  readonly tableName: string;
  readonly bucketName: string;
  /** By the queue's name in the topology. */
  readonly queueUrls: ReadonlyMap<string, string>;
}

/** Creates the topology's table, bucket and queues at an endpoint where they are missing. */
export const provision = async (options: {
  readonly topology: Topology;
  readonly aws: AwsEnvironment;
  readonly sqsEndpoint: string;
  /** Goes before every name; 3 to 20 lower-case letters, digits and hyphens. */
  readonly name: string;
}): Promise<Provisioned> => {
  const { topology, aws, name } = options;
  const clients = { dynamodb: dynamodbClient(aws), s3: s3Client(aws), sqs: sqsClient(aws) };
  const queueName = (queue: string): string => `${name}-${queue}`;
  try {
    const [urls] = await Promise.all([
      ensureQueues({
        client: clients.sqs,
        endpoint: options.sqsEndpoint,
        queues: Object.entries(topology.queues).map(([queue, { deadLetter, ...settings }]) => ({
          name: queueName(queue),
          visibilityTimeoutSeconds: settings.visibilityTimeoutSeconds,
          retentionSeconds: settings.retentionSeconds,
          ...(deadLetter === undefined
            ? {}
            : { deadLetter: { ...deadLetter, queue: queueName(deadLetter.queue) } }),
        })),
      }),
      ensureTable({ client: clients.dynamodb, tableName: name, definition: topology.table }),
      ensureBucket({ client: clients.s3, bucket: `${name}-content` }),
    ]);
    return {
      tableName: name,
      bucketName: `${name}-content`,
      queueUrls: new Map(
        Object.keys(topology.queues).map((queue) => [queue, required(urls.get(queueName(queue)), queue)]),
      ),
    };
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
};

const required = (url: string | undefined, queue: string): string => {
  if (url !== undefined) return url;
  throw new PlanledgerError({ code: "internal", message: `The queue ${queue} has no address.` });
};

/** The environment that every function of the embedded service gets; on AWS each gets what it lists. */
export const functionEnvironment = (options: {
  readonly topology: Topology;
  readonly aws: Environment;
  readonly provisioned: Provisioned;
  readonly signingKeyFile: string;
  /** `HOST` or `HOST:PORT`. */
  readonly allowedHosts?: readonly string[];
  readonly secretsFile?: string | undefined;
  readonly version: string;
  /** What an operator sets beside: the authorizer's `JWT_…`, and the `EVENT_BUS` that phases go onto. */
  readonly settings?: Environment;
}): Environment => ({
  ...options.aws,
  JWT_ISSUER: "none",
  JWT_AUDIENCE: "none",
  JWT_TENANT_CLAIM: "tenant",
  JWT_PRINCIPAL_CLAIM: "sub",
  EVENT_BUS: "none",
  QUOTAS: "none",
  ...options.settings,
  PHASE_LISTENERS: (options.settings?.EVENT_BUS ?? "none") === "none" ? "webhooks" : "all",
  TABLE_NAME: options.provisioned.tableName,
  BUCKET_NAME: options.provisioned.bucketName,
  DECISIONS_QUEUE_URL: options.provisioned.queueUrls.get("decisions"),
  APPLIES_QUEUE_URL: options.provisioned.queueUrls.get("applies"),
  PHASES_QUEUE_URL: options.provisioned.queueUrls.get("phases"),
  SOURCES_QUEUE_URL: options.provisioned.queueUrls.get("sources"),
  DELIVERIES_QUEUE_URL: options.provisioned.queueUrls.get("deliveries"),
  SUBMISSION_QUEUES: JSON.stringify(
    submissionQueuesDocument(options.topology, (queue) => {
      const url = required(options.provisioned.queueUrls.get(queue), queue);
      return { url, physicalName: url.split("/").at(-1) ?? queue };
    }),
  ),
  SIGNING_KEY: `file:${options.signingKeyFile}`,
  TOOL_ALLOWED_HOSTS: options.allowedHosts?.join(",") || "none",
  TOOL_SECRETS: options.secretsFile === undefined ? "none" : `file:${options.secretsFile}`,
  PLANLEDGER_VERSION: options.version,
  PLANLEDGER_CHECK_REPLIES: "true",
});
