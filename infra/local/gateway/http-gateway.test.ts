import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { test } from "node:test";
import { silentLog } from "#lib/log/log.ts";
import { type LambdaHandler, lambdaHost } from "../lambda-host.ts";
import { type GatewayLimits, startHttpGateway } from "./http-gateway.ts";

const gatewayTo = (
  handlers: Readonly<Record<string, LambdaHandler>>,
  timeoutSeconds = 30,
  limits?: GatewayLimits,
) => {
  let ids = 0;
  const ports = { clock: Date, ids: { ulid: () => String(++ids) } };
  const host = lambdaHost(ports);
  return startHttpGateway({
    topology: {
      routes: [
        { route: "GET /guarded", function: "answer", authorized: true },
        { route: "$default", function: "answer", authorized: false },
      ],
      authorizer: { function: "authorizer", cacheSeconds: 60 },
    },
    functions: new Map(
      Object.entries(handlers).map(([name, handler]) => [
        name,
        host.host({ name, timeoutSeconds, memoryMegabytes: 128, handler }),
      ]),
    ),
    port: 0,
    log: silentLog,
    ...ports,
    ...(limits === undefined ? {} : { limits }),
  });
};

const ok = { statusCode: 200, headers: { "x-a": "b" }, body: "aGk=", isBase64Encoded: true };

test("the authorizer is asked first, and what it finds goes to the function", async () => {
  const seen: unknown[] = [];
  const gateway = await gatewayTo({
    authorizer: async () => ({ isAuthorized: true, context: { verdict: "denied", denial: "missing" } }),
    answer: async (event) => {
      seen.push(Object(event).requestContext.authorizer);
      return ok;
    },
  });
  const answer = await fetch(`${gateway.url}/guarded`);
  assert.deepEqual([answer.status, answer.headers.get("x-a"), await answer.text()], [200, "b", "hi"]);
  await fetch(`${gateway.url}/open`);
  assert.deepEqual(seen, [{ lambda: { verdict: "denied", denial: "missing" } }, undefined]);
  await gateway.stop();
});

test("a function that throws, answers nonsense, too much or not in time is a 500, and the gateway goes on", async () => {
  let next: LambdaHandler = async () => ok;
  const gateway = await gatewayTo({ answer: (event, context) => next(event, context) }, 0.05);
  const broken: readonly LambdaHandler[] = [
    async () => Promise.reject(new Error("secret")),
    async () => ({ status: "what" }),
    async () => ({ ...ok, body: "x".repeat(7 * 1024 * 1024), isBase64Encoded: false }),
    () => new Promise(() => {}),
  ];
  for (const handler of broken) {
    next = handler;
    const answer = await fetch(gateway.url);
    assert.equal(answer.status, 500);
    assert.doesNotMatch(await answer.text(), /secret/);
  }
  next = async () => ok;
  assert.equal((await fetch(gateway.url)).status, 200);
  await gateway.stop();
});

test("a stop waits for the request under way, not for the connection that its client keeps alive", async () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const gateway = await gatewayTo({
    async answer() {
      entered.resolve();
      await release.promise;
      return ok;
    },
  });
  const agent = new Agent({ keepAlive: true });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const sent = request(gateway.url, { agent }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    sent.once("error", reject).end();
  });
  await entered.promise;
  const stopped = gateway.stop();
  release.resolve();
  assert.equal(await answered, 200);
  const startedAtMs = performance.now();
  await stopped;
  assert.ok(performance.now() - startedAtMs < 5000);
  agent.destroy();
});

test("a request that finds too many waiting, or no room for its body, is told to come again, and room comes back", async () => {
  const release = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const limits = { maximumConcurrency: 1, maximumWaiting: 1, heldMaximumBytes: 3000 };
  const gateway = await gatewayTo(
    {
      async answer() {
        entered.resolve();
        await release.promise;
        return ok;
      },
    },
    30,
    limits,
  );
  const post = (sizeBytes: number) => fetch(gateway.url, { method: "POST", body: "x".repeat(sizeBytes) });
  const first = post(2000);
  await entered.promise;
  const noRoom = await post(2000);
  assert.deepEqual([noRoom.status, noRoom.headers.get("retry-after")], [429, "1"]);
  const others = [post(10), post(10)];
  const turnedAway = await Promise.race(others);
  assert.deepEqual([turnedAway.status, turnedAway.headers.get("retry-after")], [429, "1"]);
  release.resolve();
  assert.deepEqual(
    (await Promise.all([first, ...others])).map(({ status }) => status).sort(),
    [200, 200, 429],
  );
  assert.equal((await post(2900)).status, 200);
  await gateway.stop();
});

test("a body that a gateway takes but no function, is too large, not a fault of the service", async () => {
  const gateway = await gatewayTo({ answer: async () => ok });
  const answer = await fetch(gateway.url, { method: "POST", body: "x".repeat(7 * 1024 * 1024) });
  assert.equal(answer.status, 413);
  assert.equal((await fetch(gateway.url)).status, 200);
  await gateway.stop();
});
