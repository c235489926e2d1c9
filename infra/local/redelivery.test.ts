import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { dynamodbClient } from "#functions/aws-clients.ts";
import { wireRunPorts } from "#functions/engine-ports.ts";
import {
  nowhereOutside,
  readEnvironment,
  signingEnvironment,
  tableEnvironment,
} from "#functions/environment.ts";
import { workOnMessage } from "#functions/execute/work-on-message.ts";
import { type ProcessPorts, processPorts } from "#functions/process-ports.ts";
import { queueFunction } from "#functions/queue-function.ts";
import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { issueToken } from "#lib/access/issue-token.ts";
import { scopes } from "#lib/access/token-store.ts";
import { silentLog } from "#lib/log/log.ts";
import { topology } from "../topology.ts";
import type { Topology } from "../topology-shape.ts";
import { type AwsEndpoints, emulatedEndpoints } from "./aws-endpoints.ts";
import { clientOf } from "./embedded-service.testkit.ts";
import { type CreateHandler, handlers } from "./handlers.ts";
import { functionEnvironment, provision } from "./provision.ts";
import { type RunningTopology, runTopology } from "./run-topology.ts";
import { signingKeyFile } from "./signing-key.ts";

/** The service's topology, but for messages that come back after a second. A deploy would be refused. */
const impatient: Topology = {
  ...topology,
  queues: Object.fromEntries(
    Object.entries(topology.queues).map(([name, queue]) => [name, { ...queue, visibilityTimeoutSeconds: 1 }]),
  ),
};

const ports: ProcessPorts = { ...processPorts, log: silentLog };
let crashes = 0;
let deadLetters = 0;

/**
 * The worker, but for two kinds of crash: decisions `crash-once` end their first invocation, decisions `poison` every one,
 * as a process does that runs out of memory.
 */
const crashingWorker: CreateHandler = (environment) => {
  const runPorts = wireRunPorts(
    { ...readEnvironment(signingEnvironment, environment), ...nowhereOutside },
    ports,
  );
  const crashed = new Set<string>();
  const crashing = {
    ...runPorts,
    openExecutor: async (...opened: Parameters<typeof runPorts.openExecutor>) => {
      const executor = await runPorts.openExecutor(...opened);
      return {
        ...executor,
        execute: async (...executed: Parameters<typeof executor.execute>) => {
          const [{ id }] = executed;
          if (id === "poison" || (id === "crash-once" && !crashed.has(id))) {
            crashed.add(id);
            crashes += 1;
            throw new Error("the process is gone");
          }
          return executor.execute(...executed);
        },
      };
    },
  };
  const applies = crashing.hints;
  return queueFunction({ log: ports.log, handle: workOnMessage({ ...crashing, applies }, ports.log) });
};

const countedDeadLetters: CreateHandler = (environment, given) => {
  const handler = handlers.executeDeadLetter?.(environment, given);
  assert.ok(handler);
  return async (event, context) => {
    deadLetters += 1;
    return handler(event, context);
  };
};

let endpoints: AwsEndpoints;
let running: RunningTopology;
let token = "";
const directory = mkdtempSync(join(tmpdir(), "redelivery-"));

before(async () => {
  endpoints = await emulatedEndpoints(undefined);
  const aws = readEnvironment(tableEnvironment, { ...endpoints.environment, TABLE_NAME: "planledger" });
  const provisioned = await provision({
    topology: impatient,
    aws,
    sqsEndpoint: endpoints.sqsEndpoint,
    name: "planledger",
  });
  const client = dynamodbClient(aws);
  const tokens = dynamodbTokenStore({ client, tableName: provisioned.tableName });
  ({ token } = await issueToken({ ...ports, tokens }, { tenant: "local", principal: "ada", scopes }));
  client.destroy();
  running = await runTopology({
    topology: impatient,
    handlers: { ...handlers, executeWorker: crashingWorker, executeDeadLetter: countedDeadLetters },
    environment: functionEnvironment({
      topology: impatient,
      aws: endpoints.environment,
      provisioned,
      signingKeyFile: await signingKeyFile(directory),
      version: "test",
    }),
    queueUrls: provisioned.queueUrls,
    port: 0,
    ports,
  });
});
after(async () => {
  await running.stop();
  await endpoints.stop();
  rmSync(directory, { recursive: true, force: true });
});

const service = clientOf(() => ({ url: running.url, token }));
const writing = (id: string, dependsOn: readonly string[] = []) => ({
  id,
  dependsOn,
  toolCalls: [{ tool: "write_file", input: { path: `${id}.txt`, content: id } }],
});

test("F1: a worker that crashes in the middle of a plan is followed by a redelivery that lands every entry once", async () => {
  const plan = { decisions: [writing("d1"), writing("crash-once"), writing("d3", ["crash-once"])] };
  const accepted = await service.sendJson("/v1/plans/crash/execute", plan);
  assert.equal(accepted.status, 202, accepted.text);
  const { phase, counts } = await service.ended("crash");
  assert.equal(crashes, 1);
  assert.deepEqual([phase, counts.landed], ["completed", 3]);
  const changeset = await service.send("/v1/plans/crash/changeset");
  const { entries } = z.parse(
    z.object({ entries: z.array(z.object({ path: z.string() })) }),
    changeset.json(),
  );
  assert.deepEqual(
    entries.map(({ path }) => path),
    ["d1.txt", "crash-once.txt", "d3.txt"],
  );
  const events = z.parse(
    z.object({ events: z.array(z.object({ seq: z.number() })) }),
    (await service.send("/v1/plans/crash/events")).json(),
  );
  assert.deepEqual(
    events.events.map(({ seq }) => seq),
    events.events.map((_, index) => index + 1),
  );
});

test("a decision that kills every worker is failed as dead_lettered, its dependant skipped, the others land", async () => {
  const plan = { decisions: [writing("d1"), writing("poison"), writing("d3"), writing("d4", ["poison"])] };
  const accepted = await service.sendJson("/v1/plans/deadly/execute", plan);
  assert.equal(accepted.status, 202, accepted.text);
  const { phase, counts, failures } = await service.ended("deadly");
  assert.equal(phase, "failed");
  assert.deepEqual(counts, { total: 4, pending: 0, landed: 2, failed: 1, skipped: 1 });
  assert.deepEqual(
    failures.map(({ decisionId, code }) => `${decisionId} ${code}`),
    ["poison dead_lettered", "d4 dependency_failed"],
  );
});

test("a message that is no hint ends in the dead-letter queue, is logged there and goes", async () => {
  const { SendMessageCommand } = await import("@aws-sdk/client-sqs");
  const { sqsClient } = await import("#functions/sqs-client.ts");
  const sqs = sqsClient(readEnvironment(tableEnvironment, { ...endpoints.environment, TABLE_NAME: "x" }));
  const before = deadLetters;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: `${endpoints.sqsEndpoint}/000000000000/planledger-decisionsDeadLetter`,
      MessageBody: "not a hint",
    }),
  );
  sqs.destroy();
  while (deadLetters === before) await new Promise((resolve) => setImmediate(resolve));
});
