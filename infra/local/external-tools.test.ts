import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { LogRecord } from "#lib/log/log.ts";
import { type EverythingServer, everythingServer } from "#lib/tools/external/everything-server.testkit.ts";
import { type Outside, outsideServer } from "#lib/tools/external/outside.testkit.ts";
import { clientOf } from "./embedded-service.testkit.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

const token = "tok/12345678+secret";
const directory = mkdtempSync(join(tmpdir(), "external-tools-"));
const logged: LogRecord[] = [];
let everything: EverythingServer;
let outside: Outside;
let forbidden: Outside;
let service: EmbeddedService;
const client = clientOf(() => service);

before(async () => {
  everything = await everythingServer();
  outside = await outsideServer(({ headers, body }, response) => {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    response.end(`${headers.authorization} charged ${JSON.parse(body).input.amount}`);
  });
  forbidden = await outsideServer();
  const secretsFile = join(directory, "secrets.json");
  writeFileSync(secretsFile, JSON.stringify({ local: { API_TOKEN: token } }), { mode: 0o600 });
  service = await startEmbeddedService({
    port: 0,
    allowedHosts: [`127.0.0.1:${everything.port}`, `127.0.0.1:${outside.port}`],
    secretsFile,
    log: { write: (record) => logged.push(record) },
  });
  await put("tools/local/echo", {
    description: "Echoes.",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    run: { kind: "mcp", url: everything.url },
  });
  await put("tools/local/charge", {
    description: "Charges.",
    inputSchema: { type: "object", properties: { amount: { type: "integer" } }, required: ["amount"] },
    run: {
      kind: "http",
      url: `${outside.url}/charge`,
      headers: { Authorization: "Bearer secret:API_TOKEN" },
    },
  });
  await put("tools/local/inner", {
    description: "Leads to where nobody may go.",
    inputSchema: { type: "object" },
    run: { kind: "http", url: `http://localhost:${forbidden.port}/` },
  });
});
after(async () => {
  await service.stop();
  await everything[Symbol.asyncDispose]();
  await outside[Symbol.asyncDispose]();
  await forbidden[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

const put = async (path: string, item: Record<string, unknown>) => {
  const [, , name] = path.split("/");
  const answer = await client.sendJson(`/v1/${path}`, { name, ...item }, { method: "PUT" });
  assert.ok(answer.status < 300, answer.text);
};

const run = async (planId: string, toolCalls: readonly object[]) => {
  const submitted = await client.sendJson(`/v1/plans/${planId}/execute`, {
    decisions: toolCalls.map((call, index) => ({ id: `d${index + 1}`, toolCalls: [call] })),
  });
  assert.equal(submitted.status, 202, submitted.text);
  const status = await client.ended(planId);
  const decisions = await client.send(`/v1/plans/${planId}/decisions`);
  return { status, text: decisions.text };
};

test("tools of an MCP server and of an HTTP server are called in a plan, over the whole service", async () => {
  const { status, text } = await run("both", [
    { tool: "echo", input: { message: "hello from a plan" } },
    { tool: "local/charge", input: { amount: 42 } },
    { tool: "write_file", input: { path: "a.txt", content: "after them" } },
  ]);
  assert.equal(status.phase, "completed", text);
  assert.match(text, /Echo: hello from a plan/);
  assert.match(text, /Bearer \[redacted\] charged 42/);
  assert.equal(outside.received[0]?.headers.authorization, `Bearer ${token}`);
  assert.match(String(outside.received[0]?.headers["idempotency-key"]), /^[0-9a-f]{64}$/);
});

test("an address that the operator did not allow is refused, and nothing arrives there", async () => {
  const { status, text } = await run("refused", [{ tool: "inner", input: {} }]);
  assert.equal(status.phase, "failed");
  assert.equal(status.failures[0]?.code, "address_refused");
  assert.match(text, /nothing was sent/);
  assert.equal(forbidden.connections(), 0);
});

test("an input that the synced tool's schema refuses does not get as far as a plan", async () => {
  const answer = await client.sendJson("/v1/plans/bad/execute", {
    decisions: [{ id: "d1", toolCalls: [{ tool: "charge", input: { amount: "much" } }] }],
  });
  assert.equal(answer.status, 422);
  assert.match(answer.text, /"field":"\/decisions\/0\/toolCalls\/0\/input\/amount"/);
});

test("a synced action makes a plan of arguments", async () => {
  await put("actions/local/greet", {
    arguments: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    plan: {
      decisions: [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a placeholder of the action
        { id: "d1", toolCalls: [{ tool: "echo", input: { message: "hello ${{ args.name }}" } }] },
      ],
    },
  });
  const body = { action: "local/greet", args: { name: 'Ada", "x": "' } };
  const accepted = await client.sendJson("/v1/plans/greeting/execute", body);
  assert.equal(accepted.status, 202, accepted.text);
  assert.equal((await client.ended("greeting")).phase, "completed");
  assert.match((await client.send("/v1/plans/greeting/decisions")).text, /Echo: hello Ada\\", \\"x\\": \\"/);
});

test("the secret stands in nothing that the service told or logged", async () => {
  const told = await Promise.all(
    ["", "/decisions", "/events", "/ledger"].map(
      async (path) => (await client.send(`/v1/plans/both${path}`)).text,
    ),
  );
  const everythingTold = told.join("\n") + JSON.stringify(logged);
  for (const trace of [token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1), "12345678"]) {
    assert.ok(!everythingTold.includes(trace), trace);
  }
});
