import { type Environment, readEnvironment, tableEnvironment } from "#functions/environment.ts";
import type { ProcessPorts } from "#functions/process-ports.ts";
import { pollingSqsClient } from "#functions/sqs-client.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import type { Topology } from "../topology-shape.ts";
import { startHttpGateway } from "./gateway/http-gateway.ts";
import type { CreateHandler } from "./handlers.ts";
import { type HostedFunction, type LambdaHandler, type LambdaHost, lambdaHost } from "./lambda-host.ts";
import { type QueuePump, startQueuePump } from "./queue-pump.ts";
import { scheduledEvent, startScheduler } from "./scheduler.ts";

export type WrapHandler = (name: string, handler: LambdaHandler) => LambdaHandler;

export interface RunningTopology {
  readonly url: string;
  /** Runs the function of a schedule now, as the scheduler does when its time comes, to its end. */
  runSchedule(name: string): Promise<void>;
  stop(): Promise<void>;
}

export interface RunTopologyOptions {
  readonly topology: Topology;
  readonly handlers: Readonly<Record<string, CreateHandler>>;
  readonly environment: Environment;
  readonly queueUrls: ReadonlyMap<string, string>;
  readonly port: number;
  readonly ports: ProcessPorts;
  readonly wrapHandler?: WrapHandler;
}

/** Hosts the topology's functions, and connects them: gateway, a pump for each consumed queue, schedules. */
export const runTopology = async (options: RunTopologyOptions): Promise<RunningTopology> => {
  const { topology, ports } = options;
  const host = lambdaHost(ports);
  const functions = hostFunctions(options, host);
  // First, so that hints that a lost queue held are there again before anybody asks.
  await reconcileAll(options, functions);
  const gateway = await startHttpGateway({
    topology,
    functions,
    port: options.port,
    clock: ports.clock,
    ids: ports.ids,
    log: ports.log,
  });
  const sqs = pollingSqsClient(readEnvironment(tableEnvironment, options.environment));
  const pumps = startPumps(options, { functions, sqs });
  const scheduler = startScheduler({
    schedules: topology.schedules,
    functions,
    clock: ports.clock,
    timer: ports.timer,
    ids: ports.ids,
    log: ports.log,
  });
  return {
    url: gateway.url,
    runSchedule: (name) => scheduler.run(name),
    async stop() {
      await gateway.stop();
      // From now on functions are told that their time is over: workers hand on what they have.
      await Promise.all([scheduler.stop(), host.drain(), ...pumps.map((pump) => pump.stop())]);
      sqs.destroy();
    },
  };
};

const hostFunctions = (
  { topology, handlers, environment, ports, wrapHandler }: RunTopologyOptions,
  host: LambdaHost,
): ReadonlyMap<string, HostedFunction> =>
  new Map(
    Object.entries(topology.functions).map(([name, { timeoutSeconds, memoryMegabytes }]) => {
      const create = handlers[name];
      if (create === undefined) {
        throw new PlanledgerError({ code: "internal", message: `Function ${name} has no handler.` });
      }
      const handler = create(environment, ports);
      const hosted = host.host({
        name,
        timeoutSeconds,
        memoryMegabytes,
        handler: wrapHandler === undefined ? handler : wrapHandler(name, handler),
      });
      return [name, hosted];
    }),
  );

const startPumps = (
  { topology, queueUrls, ports }: RunTopologyOptions,
  running: {
    readonly functions: ReadonlyMap<string, HostedFunction>;
    readonly sqs: Parameters<typeof startQueuePump>[0]["sqs"];
  },
): readonly QueuePump[] =>
  Object.entries(topology.queues).flatMap(([name, { consumer }]) => {
    const queueUrl = queueUrls.get(name);
    const consuming = consumer === undefined ? undefined : running.functions.get(consumer.function);
    if (consumer === undefined || consuming === undefined || queueUrl === undefined) return [];
    return [
      startQueuePump({
        sqs: running.sqs,
        queueUrl,
        queueArn: `arn:aws:sqs:us-east-1:000000000000:${queueUrl.split("/").at(-1) ?? name}`,
        batchSize: consumer.batchSize,
        maximumConcurrency: consumer.maximumConcurrency,
        consumer: consuming,
        log: ports.log,
      }),
    ];
  });

const reconcileAll = async (
  { topology, ports }: RunTopologyOptions,
  functions: ReadonlyMap<string, HostedFunction>,
): Promise<void> => {
  const target = functions.get(topology.schedules.reconcile?.function ?? "");
  if (target === undefined) return;
  const event = scheduledEvent({ name: "reconcile", id: ports.ids.ulid(), atEpochMs: ports.clock.now() });
  await target.invoke({ ...event, detail: { all: true } });
};
