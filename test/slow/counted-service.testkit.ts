import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { dynamodbClient } from "#functions/aws-clients.ts";
import { readEnvironment, tableEnvironment } from "#functions/environment.ts";
import { type ProcessPorts, processPorts } from "#functions/process-ports.ts";
import { givenEndpoints } from "#infra/local/aws-endpoints.ts";
import { handlers } from "#infra/local/handlers.ts";
import { functionEnvironment, provision } from "#infra/local/provision.ts";
import { runTopology, type WrapHandler } from "#infra/local/run-topology.ts";
import { signingKeyFile } from "#infra/local/signing-key.ts";
import { topology } from "#infra/topology.ts";
import type { Topology } from "#infra/topology-shape.ts";
import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { issueToken } from "#lib/access/issue-token.ts";
import { scopes } from "#lib/access/token-store.ts";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";
import type { LogRecord } from "#lib/log/log.ts";
import { type AwsWire, startAwsWire } from "./aws-wire.testkit.ts";
import { watchFrontiers } from "./ended-plan.testkit.ts";

/** The embedded service in this process, with its queues and its functions' time as a test wants them. */
export interface CountedService {
  readonly wire: AwsWire;
  readonly frontiers: ReturnType<typeof watchFrontiers>;
  readonly logged: readonly LogRecord[];
  /** Tenants share nothing: a plan of the same id and document is another one there, with the same digest. */
  clientOf(tenant: string): Promise<PlanledgerClient>;
  /** A hint on the real queue, as often as the caller likes. */
  sendHint(key: { readonly tenant: string; readonly planId: string }): Promise<void>;
  stop(): Promise<void>;
}

/** The topology with other times; a deploy would be refused where they let messages come back too early. */
export const hasty = (options: {
  readonly visibilitySeconds: number;
  readonly workerSeconds?: number;
}): Topology => {
  const { executeWorker } = topology.functions;
  if (executeWorker === undefined) throw new Error("the topology has no worker");
  const { visibilitySeconds: visibilityTimeoutSeconds, workerSeconds } = options;
  return {
    ...topology,
    functions: {
      ...topology.functions,
      executeWorker: {
        ...executeWorker,
        ...(workerSeconds === undefined ? {} : { timeoutSeconds: workerSeconds }),
      },
    },
    queues: Object.fromEntries(
      Object.entries(topology.queues).map(([name, queue]) => [name, { ...queue, visibilityTimeoutSeconds }]),
    ),
  };
};

export async function startCountedService(
  options: { readonly topology?: Topology; readonly wrapHandler?: WrapHandler } = {},
): Promise<CountedService> {
  const directory = mkdtempSync(join(tmpdir(), "counted-service-"));
  const wire = await startAwsWire();
  const stopWire = async () => {
    await wire.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    return await startOn(wire, { ...options, directory, stopWire });
  } catch (fault) {
    await stopWire();
    throw fault;
  }
}

async function startOn(
  wire: AwsWire,
  options: {
    readonly topology?: Topology;
    readonly wrapHandler?: WrapHandler;
    readonly directory: string;
    readonly stopWire: () => Promise<void>;
  },
): Promise<CountedService> {
  const { directory, stopWire } = options;
  const aws = givenEndpoints(wire.url, {});
  const settings = readEnvironment(tableEnvironment, { ...aws.environment, TABLE_NAME: "planledger" });
  const logged: LogRecord[] = [];
  const ports: ProcessPorts = { ...processPorts, log: { write: (record) => void logged.push(record) } };
  const chosen = options.topology ?? topology;
  const provisioned = await provision({
    topology: chosen,
    aws: settings,
    sqsEndpoint: wire.url,
    name: "planledger",
  });
  const running = await runTopology({
    topology: chosen,
    handlers,
    environment: functionEnvironment({
      topology: chosen,
      aws: aws.environment,
      provisioned,
      signingKeyFile: await signingKeyFile(directory),
      version: "test",
      // Their counts are part of what a plan costs.
      settings: { QUOTAS: "{}" },
    }),
    queueUrls: provisioned.queueUrls,
    port: 0,
    ports,
    ...(options.wrapHandler === undefined ? {} : { wrapHandler: options.wrapHandler }),
  });
  const dynamodb = dynamodbClient(settings);
  const sqs = new SQSClient({
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    endpoint: wire.direct.sqsEndpoint,
    useQueueUrlAsEndpoint: false,
  });
  const frontiers = watchFrontiers(wire.direct.dynamodbEndpoint);
  const tokens = dynamodbTokenStore({ client: dynamodb, tableName: provisioned.tableName });
  return {
    wire,
    frontiers,
    logged,
    async clientOf(tenant) {
      const { token } = await issueToken({ ...ports, tokens }, { tenant, principal: "ada", scopes });
      return planledgerClient({ url: running.url, token });
    },
    async sendHint({ tenant, planId }) {
      const MessageBody = JSON.stringify({ v: 1, tenant, planId, run: 1 });
      await sqs.send(
        new SendMessageCommand({ QueueUrl: provisioned.queueUrls.get("decisions"), MessageBody }),
      );
    },
    async stop() {
      await running.stop();
      frontiers.stop();
      sqs.destroy();
      dynamodb.destroy();
      await stopWire();
    },
  };
}
