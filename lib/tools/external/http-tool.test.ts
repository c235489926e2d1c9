import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ToolOutcome } from "../tool-outcome.ts";
import { ToolRegistry } from "../tool-registry.ts";
import { ToolRunner } from "../tool-runner.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { externalPorts, type Outside, outsideServer } from "./outside.testkit.ts";
import { parseToolDefinition } from "./parse-tool-definition.ts";
import { toolFromDefinition } from "./tool-from-definition.ts";

const definition = (run: Readonly<Record<string, unknown>>) =>
  parseToolDefinition({
    name: "charge",
    description: "Charges an account.",
    inputSchema: { type: "object", properties: { amount: { type: "number" } } },
    run: { kind: "http", ...run },
  });

const call = (
  run: Readonly<Record<string, unknown>>,
  ports: ExternalToolPorts,
  input: Readonly<Record<string, unknown>> = { amount: 5 },
): Promise<ToolOutcome> => {
  const registry = new ToolRegistry([toolFromDefinition(definition(run), ports)]);
  const workspace = () => {
    throw new Error("not asked for");
  };
  return new ToolRunner({ registry }).run({ tool: "charge", input }, { workspace, idempotencyKey: "key-1" });
};

const allowing = (outside: Outside, more: Parameters<typeof externalPorts>[0] = {}) =>
  externalPorts({ allow: [`127.0.0.1:${outside.port}`], ...more });

const textOf = ({ output }: ToolOutcome): string => Buffer.from(output.bytes).toString();
const failureOf = (outcome: ToolOutcome) => {
  assert.equal(outcome.status, "failed", textOf(outcome));
  return outcome.failure;
};

test("the input goes out as a JSON POST with the idempotency key, and the body of a 2xx is the output, byte for byte", async () => {
  const answer = Buffer.from([0, 255, 0xed, 0xa0, 0x80, 13, 10]);
  await using outside = await outsideServer((_, response) => {
    response.writeHead(201, { "content-type": "application/octet-stream" });
    response.end(answer);
  });
  const outcome = await call({ url: `${outside.url}/charge?x=1` }, allowing(outside));
  assert.equal(outcome.status, "succeeded");
  assert.deepEqual(Buffer.from(outcome.output.bytes), answer);
  const [request] = outside.received;
  assert.equal(`${request?.method} ${request?.url}`, "POST /charge?x=1");
  assert.deepEqual(JSON.parse(request?.body ?? ""), { input: { amount: 5 } });
  assert.equal(request?.headers["idempotency-key"], "key-1");
  assert.equal(request?.headers["content-type"], "application/json");
  assert.equal(request?.headers["accept-encoding"], undefined);
});

for (const status of [400, 401, 404, 422, 429, 500, 503]) {
  test(`a status ${status} fails the call with the status, and keeps the body as its output`, async () => {
    await using outside = await outsideServer((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" });
      response.end("insufficient funds");
    });
    const outcome = await call({ url: outside.url }, allowing(outside));
    const { code, message, details } = failureOf(outcome);
    assert.deepEqual([code, details], ["external_failed", { status }]);
    assert.match(message, new RegExp(`"charge".*${status}`));
    assert.equal(textOf(outcome), "insufficient funds");
    assert.equal(outside.received.length, 1);
  });
}

for (const status of [300, 301, 302, 303, 304, 307, 308]) {
  test(`a redirect (${status}) is a failure of its own, and nobody follows it`, async () => {
    await using inner = await outsideServer();
    await using outside = await outsideServer((_, response) => {
      response.writeHead(status, { location: `${inner.url}/latest/meta-data` });
      response.end();
    });
    const ports = externalPorts({
      allow: [`127.0.0.1:${outside.port}`, `127.0.0.1:${inner.port}`],
      secrets: { TOKEN: "s3cret-token" },
    });
    const failure = failureOf(
      await call({ url: outside.url, headers: { "X-Token": "secret:TOKEN" } }, ports),
    );
    assert.equal(failure.code, "redirect_refused");
    assert.match(failure.message, new RegExp(String(status)));
    assert.equal(inner.connections(), 0);
  });
}

test("an address that is not public is refused before anything is sent, unless the operator allows the host", async () => {
  await using outside = await outsideServer();
  const names = { "api.test": ["127.0.0.1"] };
  const url = `http://api.test:${outside.port}/x`;
  const refused = failureOf(await call({ url }, externalPorts({ names })));
  assert.equal(refused.code, "address_refused");
  assert.deepEqual(refused.details, { host: "api.test", port: outside.port, address: "127.0.0.1" });
  assert.match(refused.message, /nothing was sent.*operator/);
  assert.equal(outside.connections(), 0);
  const allowed = await call({ url }, externalPorts({ names, allow: [`api.test:${outside.port}`] }));
  assert.equal(textOf(allowed), "ok");
  assert.equal(outside.received[0]?.headers.host, `api.test:${outside.port}`);
});

test("an answer beyond the tool's limit is not read on; one at the limit is fine", async () => {
  await using outside = await outsideServer((request, response) => {
    response.end(Buffer.alloc(Number(request.url.slice(1)), "a"));
  });
  const at = await call({ url: `${outside.url}/1000`, maxResponseBytes: 1000 }, allowing(outside));
  assert.equal(at.output.sizeBytes, 1000);
  const beyond = await call({ url: `${outside.url}/1001`, maxResponseBytes: 1000 }, allowing(outside));
  assert.equal(failureOf(beyond).code, "output_too_large");
  assert.deepEqual(failureOf(beyond).details, { limitBytes: 1000 });
});

test("an endless answer ends at the limit", async () => {
  await using outside = await outsideServer((_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(64 * 1024)));
      response.once("drain", more);
    };
    more();
  });
  assert.equal(failureOf(await call({ url: outside.url }, allowing(outside))).code, "output_too_large");
});

test("a call that takes longer than its limit is over then, and its connection closed", async () => {
  const closed = Promise.withResolvers<void>();
  await using outside = await outsideServer((_, response) => {
    response.on("close", () => closed.resolve());
  });
  const { code } = failureOf(await call({ url: outside.url, timeLimitMs: 100 }, allowing(outside)));
  assert.equal(code, "tool_timed_out");
  await closed.promise;
});

test("a connection that breaks after the request is no answer: it says that the outcome is not known", async () => {
  await using outside = await outsideServer((_, response) => {
    response.socket?.destroy();
  });
  const { code, message } = failureOf(await call({ url: outside.url }, allowing(outside)));
  assert.equal(code, "external_outcome_unknown");
  assert.match(message, /not known/);
  assert.equal(outside.received.length, 1);
});

test("a port where nobody listens is named, with what went wrong", async () => {
  const outside = await outsideServer();
  await outside[Symbol.asyncDispose]();
  const { code, message } = failureOf(await call({ url: outside.url }, allowing(outside)));
  assert.equal(code, "external_failed");
  assert.match(message, /ECONNREFUSED.*nothing was sent/);
});

test("secrets go into headers and fixed input when the call is made, and only the definition can name them", async () => {
  await using outside = await outsideServer((request, response) => response.end(request.body));
  const ports = allowing(outside, { secrets: { TOKEN: "tok-12345678", KEY: "key-12345678" } });
  const run = {
    url: outside.url,
    headers: { Authorization: "Bearer secret:TOKEN" },
    input: { auth: { key: "secret:KEY" }, mode: "live" },
  };
  const outcome = await call(run, ports, { amount: 1, note: "secret:TOKEN" });
  const [request] = outside.received;
  assert.equal(request?.headers.authorization, "Bearer tok-12345678");
  assert.deepEqual(JSON.parse(request?.body ?? ""), {
    input: { amount: 1, note: "secret:TOKEN", auth: { key: "key-12345678" }, mode: "live" },
  });
  assert.deepEqual(JSON.parse(textOf(outcome)).input.auth, { key: "[redacted]" });
});

test("a missing secret is named, and so is one too short to be told from text; nothing is sent", async () => {
  await using outside = await outsideServer();
  const headers = { Authorization: "secret:TOKEN" };
  const missing = failureOf(await call({ url: outside.url, headers }, allowing(outside)));
  assert.deepEqual([missing.code, missing.details], ["secret_missing", { secret: "TOKEN" }]);
  const short = allowing(outside, { secrets: { TOKEN: "1234567" } });
  const tooShort = failureOf(await call({ url: outside.url, headers }, short));
  assert.equal(tooShort.code, "secret_unavailable");
  assert.doesNotMatch(tooShort.message, /1234567/);
  const broken = allowing(outside, { secrets: { TOKEN: "line one\nline two" } });
  const unusable = failureOf(await call({ url: outside.url, headers }, broken));
  assert.equal(unusable.code, "secret_unavailable");
  assert.doesNotMatch(JSON.stringify(unusable), /line one/);
  const down = { ...allowing(outside), secrets: { get: () => Promise.reject(new Error("tok-12345678")) } };
  const unavailable = failureOf(await call({ url: outside.url, headers }, down));
  assert.equal(unavailable.code, "secret_unavailable");
  assert.doesNotMatch(unavailable.message, /tok-12345678/);
  assert.equal(outside.connections(), 0);
});

test("a caller cannot give what the definition gives", async () => {
  await using outside = await outsideServer();
  const run = { url: outside.url, input: { account: "ours" } };
  const { code, details } = failureOf(await call(run, allowing(outside), { account: "theirs" }));
  assert.deepEqual([code, details], ["input_invalid", { field: "/account" }]);
  assert.equal(outside.connections(), 0);
});

test("no secret appears in what is kept of a call, whatever the other side answers with it", async () => {
  await using outside = await outsideServer((request, response) => {
    const token = String(request.headers["x-token"]);
    const form = new URL(request.url, "http://x.test").searchParams.get("form");
    const status = Number(request.url.slice(1, 4));
    const echoed =
      form === "base64"
        ? Buffer.from(`user:${token}`).toString("base64")
        : form === "percent"
          ? encodeURIComponent(token)
          : token;
    response.writeHead(status, {
      location: `/${encodeURIComponent(token)}`,
      "x-echo": encodeURIComponent(token),
    });
    response.end(`${"x".repeat(64 * 1024 - 40)}${echoed} ${echoed}`);
  });
  const printable = fc
    .string({ unit: fc.constantFrom(..."abcXYZ0189+/=%$^.*()[]{}|\\-_~ :&?#"), minLength: 8, maxLength: 40 })
    .filter((value) => value.trim() === value);
  await fc.assert(
    fc.asyncProperty(
      printable,
      fc.constantFrom(200, 302, 400, 500),
      fc.constantFrom("plain", "base64", "percent"),
      async (token, status, form) => {
        const run = { url: `${outside.url}/${status}?form=${form}`, headers: { "x-token": "secret:TOKEN" } };
        const outcome = await call(run, allowing(outside, { secrets: { TOKEN: token } }));
        assert.equal(outside.received.at(-1)?.headers["x-token"], token);
        const kept =
          textOf(outcome) + JSON.stringify(outcome, (key, value) => (key === "bytes" ? "" : value));
        for (const trace of [token, encodeURIComponent(token), JSON.stringify(token).slice(1, -1)]) {
          assert.ok(!kept.includes(trace), trace);
        }
        const core = Buffer.from(`user:${token}`).toString("base64").slice(7, -4);
        assert.ok(core.length < 8 || !kept.includes(core), core);
      },
    ),
    { numRuns: Math.min(60, Number(process.env.PROPERTY_RUNS ?? 60)) },
  );
});
