import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { EmbeddedService } from "#infra/local/start-embedded-service.ts";
import { startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { type Outside, outsideServer } from "#lib/tools/external/outside.testkit.ts";
import { type Scratch, scratch } from "./files/scratch.testkit.ts";
import { planledger } from "./planledger.testkit.ts";

let service: EmbeddedService;
let receiver: Outside;
let dir: Scratch;
before(async () => {
  receiver = await outsideServer();
  service = await startEmbeddedService({ port: 0, allowedHosts: [`127.0.0.1:${receiver.port}`] });
  dir = await scratch();
});
after(async () => {
  await service?.stop();
  await receiver?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
});

const run = (args: readonly string[]) =>
  planledger(args, {
    cwd: dir.path,
    env: { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: service.token },
  });

test("a webhook is made with its secret on stdout, told, listed, and deleted", async () => {
  assert.match((await run(["webhook", "list"])).stdout, /no webhooks yet/);
  const made = await run([
    "webhook",
    "create",
    "ops",
    `${receiver.url}/hook`,
    "--phases",
    "completed,failed",
  ]);
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /^whsec_[A-Za-z0-9+/]{43}=\n$/, "stdout is the secret alone, for $(…)");
  assert.match(made.stderr, /told of completed, failed; its secret is not shown again/);

  const toolCalls = [{ tool: "write_file", input: { path: "a", content: "a" } }];
  await dir.put({ "plan.json": JSON.stringify({ decisions: [{ id: "d1", toolCalls }] }) });
  assert.equal((await run(["plan", "execute", "plan.json", "--id", "p1", "--watch"])).exitCode, 0);
  for (const untilMs = performance.now() + 60_000; ; ) {
    const { deliveries } = (await run(["webhook", "deliveries", "ops", "--json"])).json();
    if (deliveries[0]?.state === "delivered") break;
    assert.ok(performance.now() < untilMs, JSON.stringify(deliveries));
  }
  assert.match(
    (await run(["webhook", "deliveries", "ops"])).stdout,
    /p1 {2}3 completed {2}delivered {2}1 attempt, last 200\n$/,
  );

  const listed = await run(["webhook", "list", "--json"]);
  assert.deepEqual(
    listed.json().webhooks.map(({ name, state, secret }: Record<string, string>) => [name, state, secret]),
    [["ops", "active", "generated"]],
  );
  assert.ok(!listed.stdout.includes(made.stdout.trim()));
  const changed = await run(["webhook", "create", "ops", `${receiver.url}/other`]);
  assert.deepEqual([changed.exitCode, changed.stdout], [0, ""]);
  assert.match(changed.stderr, /signed with the secret that it had/);
  const renewed = (
    await run(["webhook", "create", "ops", `${receiver.url}/other`, "--new-secret", "--json"])
  ).json();
  assert.notEqual(renewed.signingSecret, made.stdout.trim());
  assert.match((await run(["webhook", "list"])).stdout, /ops {2}active {2}\S+\/other {2}all phases/);

  assert.deepEqual((await run(["webhook", "delete", "ops", "--json"])).json(), {
    name: "ops",
    deleted: true,
  });
  const gone = await run(["webhook", "deliveries", "ops"]);
  assert.equal(gone.exitCode, 1);
  assert.match(gone.stderr, /There is no webhook ops/);
});

test("what cannot be a webhook is wrong usage, or a failure that names the field", async () => {
  const phase = await run(["webhook", "create", "ops", "https://example.com", "--phases", "done"]);
  assert.equal(phase.exitCode, 2);
  assert.match(phase.stderr, /"done".*submitted/s);
  const url = await run(["webhook", "create", "ops", "http://example.com"]);
  assert.equal(url.exitCode, 1);
  assert.match(url.stderr, /\/url must be https/);
  const secret = await run(["webhook", "create", "ops", "https://example.com", "--secret", "NONE"]);
  assert.equal(secret.exitCode, 1);
  assert.match(secret.stderr, /NONE/);
});
