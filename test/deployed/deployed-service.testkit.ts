import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { readEnvironment, storeEnvironment } from "#functions/environment.ts";
import { processPorts } from "#functions/process-ports.ts";
import { wirePlanStores, wireTools } from "#functions/run-ports.ts";
import { endpointEnvironment } from "#infra/deploy/deploy-to-endpoint.ts";
import { clientOf } from "#infra/local/embedded-service.testkit.ts";
import { noQuotas } from "#lib/quota/no-quotas.ts";
import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import type { Hint } from "#lib/run/run-store.ts";
import { submitPlan } from "#lib/service/submit-plan.ts";

const deploymentShape = z.object({
  stackName: z.string(),
  url: z.string(),
  token: z.string(),
  endpointUrl: z.string(),
  region: z.string(),
  context: z.array(z.string()),
  tableName: z.string(),
  bucketName: z.string(),
  queueUrls: z.record(z.string(), z.string()),
});

const file = process.env.PLANLEDGER_DEPLOYMENT;
if (file === undefined)
  throw new Error("These tests are of what is deployed: run them by npm run test:deployed.");
export const deployment = z.parse(deploymentShape, JSON.parse(readFileSync(file, "utf8")));

/** The service over HTTP, as whoever has the first token. */
export const service = clientOf(() => deployment);
export const environment = { ...endpointEnvironment(deployment.endpointUrl), AWS_REGION: deployment.region };

export function queueUrl(name: string): string {
  const url = deployment.queueUrls[name];
  assert.ok(url, `nothing says where the queue ${name} is`);
  return url;
}

export const settings = readEnvironment(storeEnvironment, {
  ...environment,
  TABLE_NAME: deployment.tableName,
  BUCKET_NAME: deployment.bucketName,
});
export const stores = wirePlanStores(settings, processPorts);

const patienceMs = 240_000;
const pollIntervalMs = 100;

/** Asks until there is an answer; fails with what did not come about. */
export async function eventually<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const untilMs = performance.now() + patienceMs; ; ) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    assert.ok(performance.now() < untilMs, `this did not come about in ${patienceMs / 1000} s: ${what}`);
    await delay(pollIntervalMs);
  }
}

let plans = 0;
export const newPlanId = (): string => `deployed-${process.pid}-${Date.now()}-${++plans}`;
export const writing = (path: string) => ({ tool: "write_file", input: { path, content: `${path}\n` } });
export const planOf = (count: number) => ({
  decisions: Array.from({ length: count }, (_, index) => ({
    id: `d${index}`,
    toolCalls: [writing(`${index}.txt`)],
  })),
});

/** Saves a plan as an acceptance does that dies before it sends the hint, `agoMs` ago. */
export async function saveWithoutHint(planId: string, agoMs: number): Promise<Hint> {
  const { client, tableName, contentOf } = stores;
  await submitPlan(
    {
      ...stores,
      ...processPorts,
      resources: dynamodbResourceStore({ client, tableName, content: contentOf }),
      tools: await wireTools()(),
      hints: { async send() {} },
      quota: noQuotas.submissions,
      clock: { now: () => Date.now() - agoMs },
    },
    { caller: { tenant: "local", principal: "owner", scopes: ["plans:write"] }, planId, body: planOf(2) },
  );
  return { v: 1, tenant: "local", planId, run: 1 };
}
