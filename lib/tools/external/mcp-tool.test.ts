import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ToolOutcome } from "../tool-outcome.ts";
import { ToolRegistry } from "../tool-registry.ts";
import { ToolRunner } from "../tool-runner.ts";
import { type EverythingServer, everythingServer } from "./everything-server.testkit.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { externalPorts, type Outside, outsideServer } from "./outside.testkit.ts";
import { parseToolDefinition } from "./parse-tool-definition.ts";
import { toolFromDefinition } from "./tool-from-definition.ts";

const call = (
  run: Readonly<Record<string, unknown>>,
  ports: ExternalToolPorts,
  input: Readonly<Record<string, unknown>> = {},
): Promise<ToolOutcome> => {
  const definition = parseToolDefinition({
    name: "echo",
    description: "Echoes.",
    inputSchema: { type: "object" },
    run: { kind: "mcp", ...run },
  });
  const registry = new ToolRegistry([toolFromDefinition(definition, ports)]);
  const workspace = () => {
    throw new Error("not asked for");
  };
  return new ToolRunner({ registry }).run({ tool: "echo", input }, { workspace, idempotencyKey: "key-1" });
};

const textOf = ({ output }: ToolOutcome): string => Buffer.from(output.bytes).toString();
const failureOf = (outcome: ToolOutcome) => {
  assert.equal(outcome.status, "failed", textOf(outcome));
  return outcome.failure;
};

let everything: EverythingServer;
before(async () => {
  everything = await everythingServer();
});
after(() => everything[Symbol.asyncDispose]());
const allowed = () => externalPorts({ allow: [`127.0.0.1:${everything.port}`] });

test("a tool of the reference server is called by its name there, and its text is the output", async () => {
  const echoed = await call({ url: everything.url }, allowed(), { message: "hello ✓" });
  assert.equal(textOf(echoed), "Echo: hello ✓");
  const sum = await call({ url: everything.url, tool: "get-sum" }, allowed(), { a: 2, b: 40 });
  assert.equal(sum.status, "succeeded");
  assert.match(textOf(sum), /42/);
});

test("blocks that are no text stand in the output as JSON, one a line", async () => {
  const image = await call({ url: everything.url, tool: "get-tiny-image" }, allowed());
  const blocks = textOf(image).split("\n");
  assert.ok(
    blocks.some((line) => line.startsWith('{"type":"image"') && JSON.parse(line).mimeType === "image/png"),
  );
});

test("the session is ended after the call, and after one that runs out of time too", async () => {
  const sessions = (pattern: RegExp) => everything.lines.filter((line) => pattern.test(line)).length;
  await call({ url: everything.url }, allowed(), { message: "x" });
  const slow = await call(
    { url: everything.url, tool: "trigger-long-running-operation", timeLimitMs: 700 },
    allowed(),
    { duration: 60, steps: 60 },
  );
  assert.equal(failureOf(slow).code, "tool_timed_out");
  const untilMs = performance.now() + 10_000;
  while (sessions(/Transport closed for session/) < sessions(/Session initialized with ID/)) {
    assert.ok(performance.now() < untilMs, "every session is ended");
    await new Promise((resolve) => setImmediate(resolve));
  }
});

test("what the MCP server refuses is a failure with its message", async () => {
  const unknown = failureOf(await call({ url: everything.url, tool: "no-such-tool" }, allowed()));
  assert.equal(unknown.code, "external_failed");
  const nowhere = failureOf(await call({ url: everything.url.replace("/mcp", "/none") }, allowed()));
  assert.deepEqual([nowhere.code, nowhere.details], ["external_failed", { status: 404 }]);
});

test("an MCP server at an address that is not public is not connected to, nor one that redirects followed", async () => {
  await using outside = await outsideServer((_, response) => {
    response.writeHead(307, { location: everything.url });
    response.end();
  });
  const refused = failureOf(await call({ url: outside.url }, externalPorts()));
  assert.equal(refused.code, "address_refused");
  assert.equal(outside.connections(), 0);
  const both = externalPorts({ allow: ["127.0.0.1"] });
  assert.equal(failureOf(await call({ url: outside.url }, both)).code, "redirect_refused");
  // Within its own origin neither.
  await using looping = await outsideServer((request, response) => {
    response.writeHead(307, { location: `${request.url}x` });
    response.end();
  });
  const again = failureOf(await call({ url: looping.url }, externalPorts({ allow: ["127.0.0.1"] })));
  assert.equal(again.code, "redirect_refused");
  assert.equal(looping.received.filter(({ method }) => method === "POST").length, 1);
});

interface SeenCall {
  readonly meta: unknown;
  readonly authorization: unknown;
}

/** An MCP server without sessions whose one tool answers what it is told to, as JSON at `/json` and else in a stream. */
const mcpServer = (
  answer: (seen: SeenCall) => { readonly content: readonly object[]; readonly isError?: boolean },
): Promise<Outside> =>
  outsideServer(({ url, body, headers }, response) => {
    const { id, method, params } = JSON.parse(body === "" ? "{}" : body);
    const results: Readonly<Record<string, () => unknown>> = {
      initialize: () => ({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "test", version: "1" },
      }),
      "tools/call": () => answer({ meta: params._meta, authorization: headers.authorization }),
    };
    const result = results[method];
    if (result === undefined) {
      response.writeHead(method === undefined ? 405 : 202);
      response.end();
      return;
    }
    const message = JSON.stringify({ jsonrpc: "2.0", id, result: result() });
    const json = url === "/json";
    response.writeHead(200, { "content-type": json ? "application/json" : "text/event-stream" });
    response.end(json ? message : `event: message\ndata: ${message}\n\n`);
  });
const local = (secrets: Readonly<Record<string, string>> = {}) =>
  externalPorts({ allow: ["127.0.0.1"], secrets });

for (const path of ["/json", "/stream"]) {
  test(`the idempotency key goes along in _meta, secrets in headers, and none comes back (${path})`, async () => {
    let seen: unknown;
    await using server = await mcpServer((given) => {
      seen = given;
      return { content: [{ type: "text", text: `you said ${String(given.authorization)}` }] };
    });
    const outcome = await call(
      { url: server.url + path, headers: { Authorization: "Bearer secret:TOKEN" } },
      local({ TOKEN: "tok-12345678" }),
    );
    assert.equal(textOf(outcome), "you said Bearer [redacted]");
    assert.deepEqual(seen, {
      meta: { "planledger/idempotencyKey": "key-1" },
      authorization: "Bearer tok-12345678",
    });
  });

  test(`a result that says isError is a failure, with its content as output and no secret in it (${path})`, async () => {
    await using server = await mcpServer(({ authorization }) => ({
      content: [
        { type: "text", text: "no such account" },
        { type: "text", text: Buffer.from(String(authorization)).toString("base64") },
      ],
      isError: true,
    }));
    const outcome = await call(
      { url: server.url + path, headers: { Authorization: "secret:TOKEN" } },
      local({ TOKEN: "tok-12345678" }),
    );
    assert.equal(failureOf(outcome).code, "external_failed");
    assert.match(textOf(outcome), /^no such account\n\[redacted\]/);
  });

  test(`all that a session answers counts against the limit, and the call ends at once (${path})`, async () => {
    await using server = await mcpServer(() => ({
      content: [{ type: "text", text: "x".repeat(200_000) }],
    }));
    const outcome = await call({ url: server.url + path, maxResponseBytes: 100_000 }, local());
    assert.equal(failureOf(outcome).code, "output_too_large");
  });
}

test("a stream that breaks before the answer ends the call; nobody waits for the time limit", async () => {
  await using outside: Outside = await outsideServer(({ body }, response) => {
    const message = JSON.parse(body || "{}");
    if (message.method === "initialize") {
      response.writeHead(200, { "content-type": "application/json" });
      const result = {
        protocolVersion: message.params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "test", version: "1" },
      };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    } else if (message.method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(": so far\n\n", () => response.socket?.destroy());
    } else {
      response.writeHead(message.method === undefined ? 405 : 202);
      response.end();
    }
  });
  const { code, message } = failureOf(await call({ url: outside.url }, local()));
  assert.equal(code, "external_outcome_unknown");
  assert.match(message, /not known/);
});
