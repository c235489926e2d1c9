import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import {
  AccessError,
  ConflictError,
  InfrastructureError,
  NotFoundError,
  PlanledgerError,
  ValidationError,
} from "../errors/planledger-error.ts";
import type { RetryWait } from "./client-options.ts";
import { planledgerClient } from "./planledger-client.ts";
import { maximumAttempts } from "./retry.ts";
import { stubService } from "./stub-service.testkit.ts";

const accepted = {
  planId: "plan-1",
  serverPlanId: "pln_1",
  status: "submitted",
  run: 1,
  message: "submitted",
} as const;
const problem = (status: number, code: string, more: object = {}) => ({
  status,
  json: { type: `urn:x:${code}`, title: code, status, detail: `because of ${code}`, code, ...more },
});
const plan = { decisions: [{ id: "d1" }] };

test("a client needs an http URL and a token, and names the field that is wrong", () => {
  const cases: readonly [unknown, string][] = [
    [{ url: "", token: "t" }, "url"],
    [{ url: "localhost:80", token: "t" }, "url"],
    [{ url: "ftp://x/", token: "t" }, "url"],
    [{ url: "http://a:b@x/", token: "t" }, "url"],
    [{ url: "http://x/", token: "" }, "token"],
    [{ url: "http://x/", token: "a\nb" }, "token"],
    [{ url: "http://x/" }, "token"],
    [undefined, "options"],
  ];
  for (const [options, field] of cases) {
    assert.throws(
      () => Reflect.apply(planledgerClient, undefined, [options]),
      (error) => error instanceof ValidationError && error.field === field,
      JSON.stringify(options),
    );
  }
});

test("execute sends the document with the bearer token under an id that the client made", async () => {
  await using service = await stubService(() => ({ status: 202, json: accepted }));
  assert.deepEqual(await service.client().executePlan({ plan }), accepted);
  const [request] = service.seen;
  assert.equal(request?.method, "POST");
  assert.equal(request?.url, "/v1/plans/01JZZZZZZZZZZZZZZZZZZZZZZZ/execute");
  assert.equal(request?.headers.authorization, "Bearer plt_test_secret");
  assert.deepEqual(JSON.parse(request?.body ?? ""), plan);
});

test("a submission whose reply was lost is sent again under the same id (F13)", async () => {
  let answered = 0;
  await using service = await stubService(() => {
    answered += 1;
    return answered < 3 ? "drop" : { status: 202, json: accepted };
  });
  await service.client().executePlan({ plan });
  assert.equal(new Set(service.seen.map(({ url }) => url)).size, 1);
  assert.equal(service.seen.length, 3);
});

test("503 is tried again with growing delays and then given up as an InfrastructureError", async () => {
  await using service = await stubService(() => problem(503, "unavailable"));
  await assert.rejects(
    service.client().planStatus({ planId: "p" }),
    (error) => error instanceof InfrastructureError && error.details.status === 503 && error.retryable,
  );
  assert.equal(service.seen.length, maximumAttempts);
  assert.deepEqual(service.delays, [50, 100, 200, 400, 800]);
});

test("429 waits as long as Retry-After says, also for a request that must not be repeated", async () => {
  let refusals = 1;
  await using service = await stubService(() =>
    refusals-- > 0
      ? { ...problem(429, "quota_exceeded"), headers: { "retry-after": "7" } }
      : { status: 202, json: accepted },
  );
  const waits: RetryWait[] = [];
  await service.client({ waiting: (wait) => waits.push(wait) }).resume({ planId: "p" });
  assert.deepEqual(service.delays, [7050]);
  assert.deepEqual(waits, [{ status: 429, delayMs: 7050, nextAttempt: 2, maximumAttempts }]);
});

test("a quota that stays exceeded is given up after as many attempts as anything else", async () => {
  await using service = await stubService(() => ({
    ...problem(429, "quota_exceeded"),
    headers: { "retry-after": "2" },
  }));
  await assert.rejects(service.client().executePlan({ planId: "p", plan: {} }), { code: "quota_exceeded" });
  assert.equal(service.seen.length, maximumAttempts);
});

test("a Retry-After beyond a minute is told to the caller instead of waited for", async () => {
  await using service = await stubService(() => ({
    ...problem(429, "quota_exceeded"),
    headers: { "retry-after": "3600" },
  }));
  await assert.rejects(service.client().planStatus({ planId: "p" }), { code: "quota_exceeded" });
  assert.equal(service.seen.length, 1);
});

test("a token or a resume whose reply was lost is not sent twice", async () => {
  await using service = await stubService(() => "drop");
  const client = service.client();
  await assert.rejects(client.tokens.create({ scopes: ["plans:read"] }), InfrastructureError);
  await assert.rejects(client.resume({ planId: "p" }), InfrastructureError);
  assert.equal(service.seen.length, 2);
});

test("problem documents become the named errors, with status, field and details", async () => {
  const cases = [
    [problem(422, "unknown_tool", { field: "/decisions/0", details: { allowed: ["a"] } }), ValidationError],
    [problem(401, "unauthenticated"), AccessError],
    [problem(403, "forbidden"), AccessError],
    [problem(404, "not_found"), NotFoundError],
    [problem(409, "plan_exists"), ConflictError],
    [problem(413, "body_too_large"), PlanledgerError],
    [problem(500, "internal"), PlanledgerError],
  ] as const;
  for (const [reply, named] of cases) {
    await using service = await stubService(() => reply);
    const error = await service
      .client()
      .executePlan({ planId: "p", plan })
      .catch((fault: unknown) => fault);
    assert.ok(error instanceof named, named.name);
    assert.ok(error instanceof PlanledgerError);
    const sent = reply.json;
    assert.equal(error.code, sent.code);
    assert.equal(error.details.status, sent.status);
    assert.equal(error.message, `because of ${sent.code}`);
    if (error instanceof ValidationError) {
      assert.equal(error.field, "/decisions/0");
      assert.deepEqual(error.details.allowed, ["a"]);
    }
    assert.equal(service.seen.length, 1, "is not tried again");
  }
});

test("a code of a newer service and a body that is no problem document are still named errors", async () => {
  await using newer = await stubService(() => problem(409, "brand_new"));
  await assert.rejects(newer.client().pause({ planId: "p" }), (error) => {
    assert.ok(error instanceof ConflictError);
    assert.equal(error.details.remoteCode, "brand_new");
    return true;
  });
  await using proxy = await stubService(() => ({ status: 404, bytes: Buffer.from("<h1>nginx</h1>") }));
  await assert.rejects(proxy.client().pause({ planId: "p" }), /404: <h1>nginx/);
});

test("ids that could reach another route are refused before anything is sent", async () => {
  await using service = await stubService(() => ({ status: 200, json: {} }));
  const client = service.client();
  for (const planId of ["", "..", "a/b", "a?b", ".hidden"]) {
    await assert.rejects(
      async () => client.planStatus({ planId }),
      (error) => error instanceof ValidationError && error.field === "planId",
    );
  }
  await assert.rejects(async () => client.projects.get("../x"), ValidationError);
  await assert.rejects(async () => client.content.get("../x"), ValidationError);
  assert.equal(service.seen.length, 0);
});

test("a reply that lost its shape is an error; one with members from the future is not", async () => {
  await using older = await stubService(() => ({ status: 202, json: { ...accepted, run: "one" } }));
  await assert.rejects(older.client().pause({ planId: "p" }), /pause .*\(run: /);
  await using newer = await stubService(() => ({ status: 202, json: { ...accepted, later: { a: 1 } } }));
  assert.deepEqual(await newer.client().pause({ planId: "p" }), accepted);
  await using page = await stubService(() => ({ status: 202, bytes: Buffer.from("<html>") }));
  await assert.rejects(page.client().pause({ planId: "p" }), /not JSON/);
});

test("decisions are read page by page to the end", async () => {
  const decision = (decisionId: string, ordinal: number) => ({
    ordinal,
    decisionId,
    dependsOn: [],
    run: 1,
    status: "landed",
    calls: [],
    entries: [],
  });
  await using service = await stubService(({ url }) => {
    const cursor = new URL(url, "http://x").searchParams.get("cursor");
    const page = cursor === null ? 0 : Number(cursor);
    const decisions = [decision(`d${page}`, page)];
    return {
      status: 200,
      json: { planId: "p", run: 1, decisions, ...(page < 2 ? { cursor: String(page + 1) } : {}) },
    };
  });
  const ids: string[] = [];
  for await (const { decisionId } of service.client().decisions({ planId: "p", limit: 1, run: 1 })) {
    ids.push(decisionId);
  }
  assert.deepEqual(ids, ["d0", "d1", "d2"]);
  assert.equal(service.seen[0]?.url, "/v1/plans/p/decisions?run=1&limit=1");
});

test("a diff is the bytes of all its pages, and a link to another host is not followed there", async () => {
  const bytes = [Uint8Array.of(0x2b, 0xff, 0x0d, 0x0a), Uint8Array.of(0x2d, 0x00)];
  await using service = await stubService(({ url }) =>
    url.includes("cursor=c2")
      ? { status: 200, bytes: bytes[1] ?? new Uint8Array() }
      : {
          status: 200,
          bytes: bytes[0] ?? new Uint8Array(),
          headers: { link: '<http://elsewhere.invalid/v1/x?cursor=c2&run=1>; rel="next"' },
        },
  );
  const parts: Uint8Array[] = [];
  for await (const part of service.client().diff({ planId: "p" })) parts.push(part);
  assert.deepEqual(Buffer.concat(parts), Buffer.concat(bytes));
  assert.deepEqual(
    service.seen.map(({ url }) => url),
    ["/v1/plans/p/diff", "/v1/plans/p/diff?cursor=c2&run=1"],
  );
});

test("a route that is nowhere below a URL with a path says so, and names the address without it", async () => {
  const message = "There is no such route; /v1/openapi.json lists those there are.";
  const json = { code: "not_found", detail: message, details: { reason: "no_such_route" } };
  const service = await stubService(() => ({ status: 404, json }));
  await using _ = service;
  const below = planledgerClient({ url: `${service.url}/console`, token: "plt_a_b" });
  await assert.rejects(below.planStatus({ planId: "p1" }), {
    code: "not_found",
    message: `There is no such route below ${service.url}/console. The service's URL has the path /console; is it ${service.url} alone?`,
  });
  await assert.rejects(service.client().planStatus({ planId: "p1" }), { message });
});

test("following events reads each once, waits while there are none, and ends with the plan", async () => {
  const hash = "0".repeat(64);
  const event = (seq: number) => ({
    seq,
    type: "runtime_execute_step",
    run: 1,
    at: "2026-01-01T00:00:00.000Z",
    atEpochMs: 1,
    by: "service",
    ledgerHead: hash,
  });
  const script = [[event(1)], [], [], [event(2), event(3)], []];
  let at = 0;
  await using service = await stubService(() => {
    const events = script[at] ?? [];
    at += 1;
    return { status: 200, json: { planId: "p", events, cursor: `c${at}`, ended: at >= script.length } };
  });
  const seen: number[] = [];
  for await (const { seq } of service.client().events({ planId: "p", cursor: "c0", follow: true }))
    seen.push(seq);
  assert.deepEqual(seen, [1, 2, 3]);
  assert.deepEqual(service.delays, [100, 200]);
  assert.deepEqual(
    service.seen.map(({ url }) => url.split("cursor=")[1]),
    ["c0", "c1", "c2", "c3", "c4"],
  );
});

test("without follow, events end with what there is", async () => {
  await using service = await stubService(() => ({
    status: 200,
    json: { planId: "p", events: [], cursor: "c", ended: false },
  }));
  for await (const _ of service.client().events({ planId: "p" })) assert.fail("there are none");
  assert.deepEqual(service.delays, []);
});

test("an abort ends a request that hangs, with its own reason", async () => {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const client = planledgerClient({ url: `http://127.0.0.1:${address.port}`, token: "t" });
    const abort = new AbortController();
    const accepted = new Promise<void>((resolve) => server.once("connection", () => resolve()));
    const request = client.planStatus({ planId: "p", signal: abort.signal });
    await accepted;
    abort.abort(new Error("enough"));
    await assert.rejects(request, /enough/);
  } finally {
    server.close();
  }
});

test("nothing listening is said in words, with the address", async () => {
  const service = await stubService(() => "drop");
  await service[Symbol.asyncDispose]();
  await assert.rejects(service.client().version(), (error) => {
    assert.ok(error instanceof InfrastructureError);
    assert.match(
      error.message,
      /cannot reach http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\); nothing listens there/,
    );
    return true;
  });
});
