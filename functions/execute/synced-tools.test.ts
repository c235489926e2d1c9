// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of actions look like JavaScript's.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalSha256 } from "#lib/canonical/canonical-json.ts";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import type { ResourceKind } from "#lib/resource/resource-store.ts";
import { openStoredExecutor } from "#lib/runtime/stored-executor.ts";
import { runnerOfPlan } from "#lib/service/pinned-registry.ts";
import { externalPorts, outsideServer } from "#lib/tools/external/outside.testkit.ts";
import { inMemoryService, lambdaContext, queueEvent } from "../in-memory-service.testkit.ts";

type Service = ReturnType<typeof inMemoryService>;
const fields = (value: unknown): Record<string, unknown> => ({ ...Object(value) });
const list = (value: unknown): readonly Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(fields) : [];

/** The service with tools that run elsewhere. */
const serviceWith = (
  options: Parameters<typeof externalPorts>[0] = {},
  replaced: Partial<Service["ports"]> = {},
) => {
  const service = inMemoryService();
  const { ports } = service;
  const runnerOf = runnerOfPlan({ tools: ports.tools, external: externalPorts(options) });
  const { send, worker } = service.using({
    openExecutor: async (plan, state) =>
      openStoredExecutor({
        treesOf: (tenant) => ports.storesOf(tenant).trees,
        runner: runnerOf(plan),
        clock: ports.clock,
      })(plan, state),
    ...replaced,
  });
  return {
    ...service,
    send,
    async sync(
      kind: ResourceKind,
      id: string,
      body: Record<string, unknown>,
      { deleted = false }: { readonly deleted?: boolean } = {},
    ) {
      const key = { tenant: "acme", kind, id } as const;
      const latest = await ports.resources.get(key);
      const written = await ports.resources.put({
        ...key,
        v: 1,
        serverId: `srv-${id}`,
        revision: (latest?.revision ?? 0) + 1,
        version: "1",
        contentSha256: canonicalSha256(body),
        deleted,
        body,
        updatedBy: "ada",
        updatedAtEpochMs: 0,
      });
      assert.ok(written);
    },
    async submit(planId: string, body: unknown): Promise<Record<string, unknown>> {
      const answer = await send(`/v1/plans/${planId}/execute`, { body });
      return { ...fields(answer.json()), status: answer.status };
    },
    /** Works until no hint waits; the worker's failures count as deliveries that come again. */
    async drain() {
      for (let hint = service.hints.shift(), rounds = 0; hint !== undefined; hint = service.hints.shift()) {
        rounds += 1;
        assert.ok(rounds < 50, "the run does not come to an end");
        const event = queueEvent([JSON.stringify(hint)]);
        const { batchItemFailures } = await worker(event, lambdaContext());
        if (batchItemFailures.length > 0) service.hints.push(hint);
      }
    },
    async decisions(planId: string) {
      return list(fields((await send(`/v1/plans/${planId}/decisions`)).json()).decisions);
    },
    async status(planId: string) {
      return fields((await send(`/v1/plans/${planId}`)).json());
    },
  };
};

const chargeTool = (url: string, run: object = {}) => ({
  id: "local/charge",
  name: "charge",
  version: "1",
  metadata: {},
  description: "Charges an account.",
  inputSchema: {
    type: "object",
    properties: { amount: { type: "number", minimum: 1 } },
    required: ["amount"],
    additionalProperties: false,
  },
  run: { kind: "http", url, ...run },
});

const calling = (tool: string, input: unknown = { amount: 5 }) => ({
  decisions: [{ id: "d1", toolCalls: [{ tool, input }] }],
});

const firstCall = async (service: ReturnType<typeof serviceWith>, planId: string) => {
  const [decision] = await service.decisions(planId);
  const [call] = list(decision?.toolCalls);
  return { decision, call };
};

test("a plan calls a synced tool by its name or its id; the answer is the call's output", async () => {
  await using outside = await outsideServer((_, response) => response.end("charged"));
  const service = serviceWith({ allow: ["127.0.0.1"] });
  await service.sync("tools", "local/charge", chargeTool(outside.url));
  await service.sync("tools", "billing/refund", {
    ...chargeTool(outside.url),
    id: "billing/refund",
    name: "refund",
  });
  for (const [planId, tool] of [
    ["p1", "charge"],
    ["p2", "local/charge"],
    ["p3", "refund"],
    ["p4", "billing/refund"],
  ] as const) {
    assert.equal((await service.submit(planId, calling(tool))).status, 202, tool);
    await service.drain();
    assert.equal((await service.status(planId)).phase, "completed", tool);
    assert.match(JSON.stringify(await service.decisions(planId)), /charged/);
  }
  assert.equal(outside.received.length, 4);
  assert.equal(new Set(outside.received.map(({ headers }) => headers["idempotency-key"])).size, 4);
});

test("an input that breaks the synced tool's schema is refused at submission, with its pointer", async () => {
  const service = serviceWith();
  await service.sync("tools", "local/charge", chargeTool("http://127.0.0.1:1/"));
  const refused = await service.submit("p1", calling("charge", { amount: 0 }));
  assert.deepEqual(
    [refused.status, refused.code, refused.field],
    [422, "input_invalid", "/decisions/0/toolCalls/0/input/amount"],
  );
});

test("a name that leads nowhere, to several tools, or to a definition that cannot be used is refused with its field", async () => {
  const service = serviceWith();
  const tool = chargeTool("http://127.0.0.1:1/");
  await service.sync("tools", "a/echo", { ...tool, id: "a/echo", name: "echo" });
  await service.sync("tools", "b/echo", { ...tool, id: "b/echo", name: "echo" });
  await service.sync("tools", "local/broken", { ...tool, id: "local/broken", run: { kind: "shell" } });
  const cases = [
    ["nothing", /neither a tool of this service.*nor one that was synced/],
    ["c/echo", /neither a tool/],
    ["echo", /several synced tools.*a\/echo, b\/echo/],
    ["broken", /local\/broken.*\/run\/kind/],
  ] as const;
  for (const [name, message] of cases) {
    const refused = await service.submit("p1", calling(name));
    assert.deepEqual(
      [refused.status, refused.code, refused.field],
      [422, "unknown_tool", "/decisions/0/toolCalls/0/tool"],
      name,
    );
    assert.match(String(refused.detail), message);
  }
});

test("a synced tool cannot take the place of a built-in one", async () => {
  await using outside = await outsideServer();
  const service = serviceWith({ allow: ["127.0.0.1"] });
  await service.sync("tools", "local/write_file", { ...chargeTool(outside.url), name: "write_file" });
  await service.submit("p1", calling("write_file", { path: "a.txt", content: "x" }));
  await service.drain();
  assert.equal((await service.status("p1")).phase, "completed");
  assert.equal(outside.connections(), 0);
});

test("a plan runs with the tool as it was at submission, whatever became of it since", async () => {
  await using first = await outsideServer((_, response) => response.end("the first"));
  await using second = await outsideServer((_, response) => response.end("the second"));
  const service = serviceWith({ allow: ["127.0.0.1"] });
  await service.sync("tools", "local/charge", chargeTool(first.url));
  await service.submit("p1", calling("charge"));
  await service.sync("tools", "local/charge", chargeTool(second.url));
  assert.equal((await service.submit("p1", calling("charge"))).status, 202);
  await service.drain();
  assert.deepEqual([first.received.length, second.received.length], [1, 0]);
  await service.submit("p2", calling("charge"));
  await service.drain();
  assert.equal(second.received.length, 1);
});

test("calls corrected at a resume are held to the tools that the plan was accepted with", async () => {
  let status = 500;
  await using outside = await outsideServer((_, response) => {
    response.statusCode = status;
    response.end("x");
  });
  const service = serviceWith({ allow: ["127.0.0.1"] });
  await service.sync("tools", "local/charge", chargeTool(outside.url));
  await service.submit("p1", calling("charge"));
  await service.drain();
  assert.equal((await service.status("p1")).phase, "failed");
  status = 200;
  const resume = (input: unknown) =>
    service.send("/v1/plans/p1/resume", { body: { toolCalls: { d1: [{ tool: "charge", input }] } } });
  assert.equal(fields((await resume({ amount: 0 })).json()).field, "/toolCalls/d1/0/input/amount");
  assert.equal((await resume({ amount: 7 })).status, 202);
  await service.drain();
  assert.equal((await service.status("p1")).phase, "completed");
  assert.deepEqual(
    outside.received.map(({ body }) => JSON.parse(body).input.amount),
    [5, 7],
  );
});

for (const idempotent of [false, true]) {
  test(`a worker that dies between call and result: ${idempotent ? "the call is repeated under the same key" : "the outcome is unknown, and the call is not repeated"}`, async () => {
    await using outside = await outsideServer((_, response) => response.end("charged"));
    const memory = inMemoryService().ports.results;
    let dies = true;
    const service = serviceWith(
      { allow: ["127.0.0.1"] },
      {
        results: {
          get: (key) => memory.get(key),
          async putIfAbsent(key, result) {
            if (!dies) return memory.putIfAbsent(key, result);
            dies = false;
            throw new InfrastructureError({ message: "the worker dies before the result is recorded" });
          },
        },
      },
    );
    await service.sync("tools", "local/charge", chargeTool(outside.url, { idempotent }));
    await service.submit("p1", calling("charge"));
    const [hint] = service.hints;
    await service.drain().catch(() => undefined);
    // The intent keeps everybody else from calling until its deadline has passed.
    for (let rounds = 0; (await service.status("p1")).phase === "running" && rounds < 20; rounds += 1) {
      service.advanceClock(60_000);
      if (service.hints.length === 0 && hint !== undefined) service.hints.push(hint);
      await service.drain();
    }
    const { phase } = await service.status("p1");
    const keys = outside.received.map(({ headers }) => headers["idempotency-key"]);
    if (idempotent) {
      assert.deepEqual([phase, keys.length, new Set(keys).size], ["completed", 2, 1]);
    } else {
      assert.deepEqual([phase, keys.length], ["failed", 1]);
      assert.match(JSON.stringify((await firstCall(service, "p1")).decision), /external_outcome_unknown/);
    }
  });
}

test("no secret of a tool stands in anything that the service tells or logs of a plan", async () => {
  await using outside = await outsideServer(({ headers, url }, response) => {
    const token = String(headers.authorization).slice("Bearer ".length);
    response.writeHead(Number(url.slice(1)), { location: `/${encodeURIComponent(token)}` });
    response.end(`${token} ${Buffer.from(token).toString("base64")} ${encodeURIComponent(token)}`);
  });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom(..."abcXYZ019+/=%_-"), minLength: 10, maxLength: 30 }),
      fc.constantFrom(200, 307, 403, 500),
      async (token, status) => {
        const service = serviceWith({ allow: ["127.0.0.1"], secrets: { TOKEN: token } });
        const headers = { Authorization: "Bearer secret:TOKEN" };
        await service.sync("tools", "local/charge", chargeTool(`${outside.url}/${status}`, { headers }));
        await service.submit("p1", calling("charge"));
        await service.drain();
        assert.equal(outside.received.at(-1)?.headers.authorization, `Bearer ${token}`);
        const told = await Promise.all(
          ["", "/decisions", "/events", "/ledger", "/changeset", "/diff"].map(async (path) =>
            (await service.send(`/v1/plans/p1${path}`)).bytes.toString(),
          ),
        );
        const everything = told.join("\n") + JSON.stringify(service.logged);
        for (const trace of [
          token,
          encodeURIComponent(token),
          Buffer.from(token).toString("base64").slice(0, -4),
        ]) {
          assert.ok(!everything.includes(trace), trace);
        }
        assert.match(everything, /\[redacted\]/);
      },
    ),
    { numRuns: 25 },
  );
});

const rename = {
  id: "local/rename",
  name: "rename",
  version: "1",
  metadata: {},
  arguments: {
    type: "object",
    properties: { from: { type: "string" }, to: { type: "string" } },
    required: ["from", "to"],
    additionalProperties: false,
  },
  plan: {
    decisions: [
      { id: "d1", toolCalls: [{ tool: "write_file", input: { path: "${{ args.from }}", content: "x" } }] },
      {
        id: "d2",
        toolCalls: [
          { tool: "move_file", input: { source: "${{ args.from }}", destination: "${{ args.to }}" } },
        ],
      },
    ],
  },
};

test("an action with arguments is a plan; what made it stands in its record, and the same request is the same plan", async () => {
  const service = serviceWith();
  await service.sync("actions", "local/rename", rename);
  const body = { action: "local/rename", args: { from: "a.txt", to: "b.txt" } };
  assert.equal((await service.submit("p1", body)).status, 202);
  await service.drain();
  assert.equal((await service.status("p1")).phase, "completed");
  assert.match((await service.send("/v1/plans/p1/diff")).bytes.toString(), /b\/b\.txt/);
  const record = await service.ports.plans.get({ tenant: "acme", planId: "p1" });
  assert.deepEqual([record?.source?.action, record?.source?.revision], ["local/rename", 1]);
  // An edit of the action does not make a repeated request another plan.
  await service.sync("actions", "local/rename", { ...rename, plan: { decisions: [] } });
  assert.equal((await service.submit("p1", body)).status, 202);
  const other = await service.submit("p1", { ...body, args: { from: "a.txt", to: "c.txt" } });
  assert.deepEqual([other.status, other.code], [409, "plan_exists"]);
  // Nor does its end.
  await service.sync("actions", "local/rename", {}, { deleted: true });
  assert.equal((await service.submit("p1", body)).status, 202);
  // A plan with the very document that the action made is that plan too.
  const document = {
    decisions: [
      { id: "d1", toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "x" } }] },
      { id: "d2", toolCalls: [{ tool: "move_file", input: { source: "a.txt", destination: "b.txt" } }] },
    ],
  };
  assert.equal((await service.submit("p1", document)).status, 202);
});

test("a request for an action says what is wrong with it: action, arguments, or the plan that comes out", async () => {
  const service = serviceWith();
  await service.sync("actions", "local/rename", rename);
  await service.sync("actions", "local/broken", { ...rename, plan: { decisions: "none" } });
  await service.sync("actions", "local/unread", { ...rename, plan: { name: "${{ nonsense }}" } });
  const args = { from: "a.txt", to: "b.txt" };
  const cases = [
    [{ action: "local/none", args }, "unknown_resource", "/action", /does not exist/],
    [{ action: "rename", args }, "validation_failed", "/action", /namespace\/name/],
    [{ action: "local/rename", args, decisions: [] }, "validation_failed", "/decisions", /not a known field/],
    [{ action: "local/rename", args: { from: "a" } }, "input_invalid", "/args/to", /missing/],
    [{ action: "local/rename", args: { ...args, x: 1 } }, "input_invalid", "/args/x", /not known/],
    [{ action: "local/broken", args }, "validation_failed", "/action", /\/decisions must be an array/],
    [{ action: "local/unread", args }, "validation_failed", "/action", /revision 1.*\/plan\/name/],
    [
      { action: "local/rename", args, projectResources: { app: { project: "local/none" } } },
      "unknown_resource",
      "/action",
      /local\/none, which does not exist/,
    ],
  ] as const;
  for (const [body, code, field, message] of cases) {
    const refused = await service.submit("p1", body);
    assert.deepEqual([refused.status, refused.code, refused.field], [422, code, field], JSON.stringify(body));
    assert.match(String(refused.detail), message);
  }
});

test("an action's arguments cannot name a secret, nor add a decision", async () => {
  await using outside = await outsideServer((request, response) => response.end(request.body));
  const service = serviceWith({ allow: ["127.0.0.1"], secrets: { TOKEN: "tok-12345678" } });
  const echo = {
    ...chargeTool(outside.url),
    id: "local/echo",
    name: "echo",
    inputSchema: { type: "object" },
  };
  await service.sync("tools", "local/echo", echo);
  await service.sync("actions", "local/say", {
    ...rename,
    id: "local/say",
    name: "say",
    arguments: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    plan: { decisions: [{ id: "d1", toolCalls: [{ tool: "echo", input: { text: "${{ args.text }}" } }] }] },
  });
  const text = 'secret:TOKEN ${{ args.text }} ", {"id":"d2"}';
  await service.submit("p1", { action: "local/say", args: { text } });
  await service.drain();
  assert.equal(JSON.parse(outside.received[0]?.body ?? "{}").input.text, text);
  assert.equal((await service.decisions("p1")).length, 1);
});
