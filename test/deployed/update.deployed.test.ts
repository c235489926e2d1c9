import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { deployToEndpoint } from "#infra/deploy/deploy-to-endpoint.ts";
import type { Step } from "#lib/run/step.ts";
import { deployment, eventually, newPlanId, service, stores, writing } from "./deployed-service.testkit.ts";

const calls = 80;
const newVersion = "9.9.9-update";
/** Far below the tool's time limit, and so long that the plan outlasts the slowest deploy: 80 calls take over six minutes. */
const holdMs = 5_000;
const timeLimitMs = 20_000;

/** A tool that takes its time until it is told to hurry. */
async function slowTool() {
  const held = new Set<() => void>();
  let isHurrying = false;
  const server = createServer((request, response) => {
    request.resume();
    const answer = () => {
      clearTimeout(timer);
      held.delete(answer);
      response.end("done");
    };
    const timer = setTimeout(answer, isHurrying ? 0 : holdMs);
    held.add(answer);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  /** Answers what is held now. */
  const answerHeld = () => {
    for (const answer of held) answer();
  };
  return {
    url: `http://127.0.0.1:${address.port}/`,
    isCalled: () => held.size > 0,
    answerHeld,
    hurry() {
      isHurrying = true;
      answerHeld();
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("an update while a plan is under way: it completes, and its later steps bear the new version", async (t) => {
  const tool = await slowTool();
  t.after(() => tool.stop());
  const name = newPlanId();
  const definition = {
    id: `local/${name}`,
    name,
    version: "1.0",
    description: "Takes its time.",
    inputSchema: { type: "object", properties: { n: { type: "integer" } } },
    run: { kind: "http", url: tool.url, timeLimitMs, idempotent: true },
  };
  const saved = await service.sendJson(`/v1/tools/local/${name}`, definition, { method: "PUT" });
  assert.equal(saved.status, 201, saved.text);
  const planId = newPlanId();
  const decisions = Array.from({ length: calls }, (_, n) => ({
    id: `d${n}`,
    toolCalls: [writing(`${n}.txt`), { tool: `local/${name}`, input: { n } }],
  }));
  const accepted = await service.sendJson(`/v1/plans/${planId}/execute`, { decisions });
  assert.equal(accepted.status, 202, accepted.text);
  const position = async () => (await stores.frontiers.latest({ tenant: "local", planId }))?.position ?? 0;
  const steps = async (): Promise<readonly Step[]> =>
    stores.steps.range({ tenant: "local", planId, run: 1, from: 0, before: await position(), limit: 1000 });

  const before = await eventually("the plan is under way", async () => {
    tool.answerHeld();
    return (await position()) > 0 ? position() : undefined;
  });
  const oldVersion = (await steps()).at(-1)?.writtenBy;
  assert.ok(oldVersion !== undefined && oldVersion !== newVersion);
  const context = [...deployment.context, `version=${newVersion}`];
  const { endpointUrl } = deployment;
  await deployToEndpoint({ endpointUrl, context, isBootstrapped: true, log: (line) => t.diagnostic(line) });
  const after = await position();
  t.diagnostic(`final position before the update ${before}, after it ${after}, of ${calls}`);
  assert.ok(0 < before && before <= after && after < calls, `${before}, ${after}`);

  tool.answerHeld();
  await eventually("a step bears the new version", async () =>
    (await steps()).some(({ writtenBy }) => writtenBy === newVersion) ? true : undefined,
  );
  tool.hurry();
  const status = await service.ended(planId);
  assert.deepEqual([status.phase, status.counts.landed], ["completed", calls]);
  const versions = (await steps()).map(({ writtenBy }) => writtenBy);
  const firstNew = versions.indexOf(newVersion);
  assert.deepEqual(versions, [
    ...versions.slice(0, firstNew).fill(oldVersion),
    ...versions.slice(firstNew).fill(newVersion),
  ]);
  assert.match((await service.send("/v1/version", { token: null })).text, /9\.9\.9-update/);
});
