import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dynamodbClient } from "#functions/aws-clients.ts";
import { type Environment, readEnvironment, tableEnvironment } from "#functions/environment.ts";
import { invocationLog } from "#functions/invocation.ts";
import { type ProcessPorts, processPorts } from "#functions/process-ports.ts";
import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { type Log, silentLog } from "#lib/log/log.ts";
import type { Clock } from "#lib/run/clock.ts";
import { checkTopology } from "../check-topology.ts";
import { topology as serviceTopology } from "../topology.ts";
import type { Topology } from "../topology-shape.ts";
import { emulatedEndpoints, givenEndpoints } from "./aws-endpoints.ts";
import { firstToken } from "./first-token.ts";
import { handlers } from "./handlers.ts";
import { functionEnvironment, provision } from "./provision.ts";
import { type RunningTopology, runTopology, type WrapHandler } from "./run-topology.ts";
import { signingKeyFile } from "./signing-key.ts";

export interface EmbeddedService {
  readonly url: string;
  /** The first token, with every scope. */
  readonly token: string;
  /** The public key of the ledger's signatures, PEM. */
  readonly publicKeyFile: string;
  /** Submissions queues by name, as clients of SQS at the embedded endpoint address them. */
  readonly submissionQueueUrls: Readonly<Record<string, string>>;
  /** Runs the function of one of the topology's schedules now, as the scheduler does when its time comes, to its end. */
  runSchedule(name: string): Promise<void>;
  /** Ends everything that was started; again does nothing. */
  stop(): Promise<void>;
}

export interface EmbeddedServiceOptions {
  /** Where everything is kept; without it nothing survives `stop`. */
  readonly dataDir?: string;
  /** 0: any free one. */
  readonly port: number;
  /** Uses what speaks AWS's protocols there in place of emulators; `AWS_*` variables of this process count then. */
  readonly awsEndpointUrl?: string;
  /** Hosts that tools may reach although their addresses are not public: `HOST` or `HOST:PORT`. */
  readonly allowedHosts?: readonly string[];
  /** Of the secrets that tools name; `secrets.json` in the `dataDir` unless given. */
  readonly secretsFile?: string;
  /** Further variables of the functions, as a deploy has them: `JWT_ISSUER` and the others of the authorizer, `QUOTAS`. */
  readonly settings?: Environment;
  /** Of the code, for records and `/v1/version`. */
  readonly version?: string;
  readonly log?: Log;
  /** What time it is for the functions; the machine's own unless given. */
  readonly clock?: Clock;
  readonly topology?: Topology;
  /** Fault injection for tests: stands between the queue pump or gateway and a function. */
  readonly wrapHandler?: WrapHandler;
}

/**
 * The whole service in this process: the topology's functions behind an HTTP gateway, queue pumps and a scheduler, on
 * emulators of DynamoDB, SQS and S3. Whatever it acknowledged survives a `kill -9` where there is a `dataDir`; queues are
 * rebuilt from the table at the start.
 */
export const startEmbeddedService = async (options: EmbeddedServiceOptions): Promise<EmbeddedService> => {
  const { dataDir, awsEndpointUrl, version = "development", topology = serviceTopology } = options;
  checkTopology(topology);
  const undo: (() => Promise<void>)[] = [];
  const stop = once(async () => {
    for (const step of undo.reverse()) await step();
  });
  try {
    const aws =
      awsEndpointUrl === undefined
        ? await emulatedEndpoints(dataDir)
        : givenEndpoints(awsEndpointUrl, process.env);
    undo.push(() => aws.stop());
    const provisioned = await provision({
      topology,
      aws: readEnvironment(tableEnvironment, { ...aws.environment, TABLE_NAME: "planledger" }),
      sqsEndpoint: aws.sqsEndpoint,
      name: "planledger",
    });
    const keyDirectory = dataDir ?? temporaryDirectory(undo);
    const keyFile = await signingKeyFile(keyDirectory);
    const environment = functionEnvironment({
      topology,
      aws: aws.environment,
      provisioned,
      signingKeyFile: keyFile,
      allowedHosts: options.allowedHosts ?? [],
      secretsFile: options.secretsFile ?? (dataDir === undefined ? undefined : join(dataDir, "secrets.json")),
      version,
      ...(options.settings === undefined ? {} : { settings: options.settings }),
    });
    const ports: ProcessPorts = {
      ...processPorts,
      clock: options.clock ?? processPorts.clock,
      log: invocationLog(options.log ?? silentLog),
    };
    const settings = readEnvironment(tableEnvironment, environment);
    const client = dynamodbClient(settings);
    const tokens = dynamodbTokenStore({ client, tableName: settings.TABLE_NAME });
    const token = await firstToken({ ...ports, tokens }, dataDir);
    client.destroy();
    const running: RunningTopology = await runTopology({
      topology,
      handlers,
      environment,
      queueUrls: provisioned.queueUrls,
      port: options.port,
      ports,
      ...(options.wrapHandler === undefined ? {} : { wrapHandler: options.wrapHandler }),
    });
    undo.push(() => running.stop());
    return {
      url: running.url,
      token,
      publicKeyFile: join(keyDirectory, "signing-key.pub.pem"),
      submissionQueueUrls: Object.fromEntries(
        topology.submissions.flatMap(({ name }) => {
          const queueUrl = provisioned.queueUrls.get(name);
          return queueUrl === undefined ? [] : [[name, queueUrl]];
        }),
      ),
      runSchedule: (name) => running.runSchedule(name),
      stop,
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
};

/** For a key that nobody keeps. */
const temporaryDirectory = (undo: (() => Promise<void>)[]): string => {
  const directory = mkdtempSync(join(tmpdir(), "planledger-"));
  undo.push(async () => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

const once = (run: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run();
    return running;
  };
};
