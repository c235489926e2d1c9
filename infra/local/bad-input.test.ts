import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { encodeCursor } from "#lib/api/cursor.ts";
import { problemDocument } from "#lib/api/problem-document.ts";
import { type Answer, planWriting, type SentRequest, serviceUnderTest } from "./embedded-service.testkit.ts";

const tokens = { narrow: "", revoked: "", brief: "" };
const created = z.object({ id: z.string(), token: z.string() });

const createToken = async (order: object) => {
  const answer = await service.sendJson("/v1/tokens", order);
  assert.equal(answer.status, 201, answer.text);
  return z.parse(created, answer.json());
};

const service = serviceUnderTest({}, async () => {
  tokens.narrow = (await createToken({ scopes: ["plans:read"] })).token;
  tokens.brief = (await createToken({ scopes: ["tokens:write"], expiresInSeconds: 600 })).token;
  const revoked = await createToken({ scopes: ["plans:read"] });
  tokens.revoked = revoked.token;
  const revocation = await service.send(`/v1/tokens/${revoked.id}`, { method: "DELETE" });
  assert.equal(revocation.status, 204);
  const standing = await service.sendJson("/v1/plans/standing/execute", planWriting("a.txt", "a"));
  assert.equal(standing.status, 202, standing.text);
});

interface Case {
  readonly name: string;
  readonly path: string;
  readonly request?: SentRequest | (() => SentRequest);
  readonly json?: unknown;
  /** A body that is sent as it stands. */
  readonly raw?: string;
  readonly status: number;
  readonly code: string;
  readonly field?: string;
}

const post = "/v1/plans/bad/execute";
const call = (tool: string, input: unknown) => ({ decisions: [{ id: "d1", toolCalls: [{ tool, input }] }] });
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const hash = "a".repeat(64);

const cases: readonly Case[] = [
  // tokens
  { name: "no token", path: "/v1/plans", request: { token: null }, status: 401, code: "unauthenticated" },
  {
    name: "something that is no token",
    path: "/v1/plans",
    request: { token: "secret" },
    status: 401,
    code: "unauthenticated",
  },
  {
    name: "a token that was never made",
    path: "/v1/plans",
    request: { token: `plt_01ARZ3NDEKTSV4RRFFQ69G5FAV_${"x".repeat(43)}` },
    status: 401,
    code: "unauthenticated",
  },
  {
    name: "a known token with another secret",
    path: "/v1/plans",
    request: () => ({ token: `${service.token.slice(0, -43)}${"x".repeat(43)}` }),
    status: 401,
    code: "unauthenticated",
  },
  {
    name: "a revoked token",
    path: "/v1/plans",
    request: () => ({ token: tokens.revoked }),
    status: 401,
    code: "unauthenticated",
  },
  {
    name: "a token without the scope",
    path: post,
    request: () => ({ token: tokens.narrow }),
    json: planWriting("a", "a"),
    status: 403,
    code: "forbidden",
  },
  {
    name: "a token that grants more than it has",
    path: "/v1/tokens",
    request: () => ({ token: tokens.narrow }),
    json: { scopes: ["plans:write"] },
    status: 403,
    code: "forbidden",
  },
  {
    name: "a token that grants for longer than it lasts",
    path: "/v1/tokens",
    request: () => ({ token: tokens.brief }),
    json: { scopes: ["tokens:write"] },
    status: 403,
    code: "forbidden",
    field: "/expiresInSeconds",
  },
  {
    name: "a body that is compressed",
    path: "/v1/plans/bad/execute",
    request: { headers: { "content-encoding": "gzip" } },
    raw: "{}",
    status: 415,
    code: "unsupported_media_type",
    field: "content-encoding",
  },
  {
    name: "a scope that there is not",
    path: "/v1/tokens",
    json: { scopes: ["all"] },
    status: 422,
    code: "validation_failed",
    field: "/scopes/0",
  },
  ...["%00", "a%23b", "x".repeat(3000), "%F0%9F%92%A5"].map(
    (id): Case => ({
      name: `the revocation of a token of the id ${id.slice(0, 20)}`,
      path: `/v1/tokens/${id}`,
      request: { method: "DELETE" },
      status: 404,
      code: "not_found",
    }),
  ),
  // cursors
  ...["/v1/plans", "/v1/tokens"].map(
    (path): Case => ({
      name: `a cursor of ${path} that is longer than any key`,
      path: `${path}?cursor=${encodeCursor(path.slice("/v1/".length), "x".repeat(1100))}`,
      status: 422,
      code: "validation_failed",
      field: "cursor",
    }),
  ),
  // routes
  { name: "an unknown route", path: "/v1/nothing", status: 404, code: "not_found" },
  {
    name: "an unknown route without a token",
    path: "/nothing",
    request: { token: null },
    status: 404,
    code: "not_found",
  },
  {
    name: "a wrong method",
    path: "/v1/plans/standing",
    request: { method: "PATCH" },
    status: 405,
    code: "method_not_allowed",
  },
  { name: "a path with a broken escape", path: "/v1/plans/%zz", status: 404, code: "not_found" },
  { name: "an unknown plan", path: "/v1/plans/nothing", status: 404, code: "not_found" },
  {
    name: "an unknown server plan id",
    path: "/v1/plans/pln_01ARZ3NDEKTSV4RRFFQ69G5FAV",
    status: 404,
    code: "not_found",
  },
  { name: "a plan id that can be none", path: "/v1/plans/%23%23", status: 404, code: "not_found" },
  { name: "an unknown run", path: "/v1/plans/standing?run=7", status: 404, code: "not_found" },
  {
    name: "an unknown decision",
    path: "/v1/plans/standing/diff?decision=d9",
    status: 404,
    code: "not_found",
  },
  {
    name: "an unknown token id",
    path: "/v1/tokens/01ARZ3NDEKTSV4RRFFQ69G5FAV",
    request: { method: "DELETE" },
    status: 404,
    code: "not_found",
  },
  // queries
  {
    name: "a limit of none",
    path: "/v1/plans?limit=0",
    status: 422,
    code: "validation_failed",
    field: "limit",
  },
  {
    name: "a limit beyond the bound",
    path: "/v1/plans?limit=101",
    status: 422,
    code: "limit_exceeded",
    field: "limit",
  },
  {
    name: "a limit that is no number",
    path: "/v1/plans?limit=1e1",
    status: 422,
    code: "validation_failed",
    field: "limit",
  },
  {
    name: "a negative limit",
    path: "/v1/plans/standing/events?limit=-1",
    status: 422,
    code: "validation_failed",
    field: "limit",
  },
  {
    name: "a limit given twice",
    path: "/v1/plans?limit=1&limit=2",
    status: 422,
    code: "validation_failed",
    field: "limit",
  },
  {
    name: "an unknown parameter",
    path: "/v1/plans?limits=1",
    status: 422,
    code: "validation_failed",
    field: "limits",
  },
  {
    name: "a cursor that is no cursor",
    path: "/v1/plans?cursor=zzz",
    status: 422,
    code: "validation_failed",
    field: "cursor",
  },
  {
    name: "an empty cursor",
    path: "/v1/plans/standing/events?cursor=",
    status: 422,
    code: "validation_failed",
    field: "cursor",
  },
  {
    name: "another listing's cursor",
    path: `/v1/plans/standing/events?cursor=${Buffer.from('[1,"plans","x"]').toString("base64url")}`,
    status: 422,
    code: "validation_failed",
    field: "cursor",
  },
  {
    name: "a forged position in a cursor",
    path: `/v1/plans/standing/events?cursor=${Buffer.from('[1,"events standing","999999.1.0"]').toString("base64url")}`,
    status: 422,
    code: "validation_failed",
    field: "cursor",
  },
  {
    name: "a run that is no number",
    path: "/v1/plans/standing?run=latest",
    status: 422,
    code: "validation_failed",
    field: "run",
  },
  // bodies
  { name: "no body", path: post, raw: "", status: 400, code: "malformed_json", field: "" },
  { name: "a body that is no JSON", path: post, raw: "{", status: 400, code: "malformed_json", field: "" },
  {
    name: "a body of another media type",
    path: post,
    request: { headers: { "content-type": "text/plain" } },
    raw: "{}",
    status: 415,
    code: "unsupported_media_type",
  },
  {
    name: "a body over the limit",
    path: post,
    raw: `{"a":"${"x".repeat(1024 * 1024)}"}`,
    status: 413,
    code: "body_too_large",
  },
  {
    name: "a body that nests too deep",
    path: post,
    raw: nested(2000),
    status: 422,
    code: "limit_exceeded",
    field: `${"/a".repeat(64)}`,
  },
  {
    name: "a __proto__ key",
    path: post,
    raw: '{"decisions":[],"__proto__":{"admin":true}}',
    status: 422,
    code: "validation_failed",
    field: "/__proto__",
  },
  {
    name: "a duplicate key",
    path: post,
    raw: '{"decisions":[],"decisions":[]}',
    status: 422,
    code: "validation_failed",
    field: "/decisions",
  },
  {
    name: "a lone surrogate",
    path: post,
    raw: '{"name":"\\ud800","decisions":[]}',
    status: 422,
    code: "validation_failed",
    field: "/name",
  },
  {
    name: "an integer beyond 2^53-1",
    path: post,
    raw: '{"decisions":[{"id":"d1","toolCalls":[{"tool":"x","input":{"n":9007199254740993}}]}]}',
    status: 422,
    code: "validation_failed",
    field: "/decisions/0/toolCalls/0/input/n",
  },
  {
    name: "an array in place of a plan",
    path: post,
    json: [],
    status: 422,
    code: "validation_failed",
    field: "",
  },
  {
    name: "null in place of a plan",
    path: post,
    json: null,
    status: 422,
    code: "validation_failed",
    field: "",
  },
  {
    name: "a missing field",
    path: post,
    json: {},
    status: 422,
    code: "validation_failed",
    field: "/decisions",
  },
  {
    name: "a wrong type",
    path: post,
    json: { decisions: "all" },
    status: 422,
    code: "validation_failed",
    field: "/decisions",
  },
  {
    name: "an unknown field",
    path: post,
    json: { decisions: [], priority: 1 },
    status: 422,
    code: "validation_failed",
    field: "/priority",
  },
  {
    name: "a decision without an id",
    path: post,
    json: { decisions: [{}] },
    status: 422,
    code: "validation_failed",
    field: "/decisions/0/id",
  },
  {
    name: "two decisions of one id",
    path: post,
    json: { decisions: [{ id: "d1" }, { id: "d1" }] },
    status: 422,
    code: "duplicate_decision",
    field: "/decisions/1/id",
  },
  {
    name: "an unknown dependency",
    path: post,
    json: { decisions: [{ id: "d1", dependsOn: ["d2"] }] },
    status: 422,
    code: "unknown_dependency",
    field: "/decisions/0/dependsOn/0",
  },
  {
    name: "F9: a cycle",
    path: post,
    json: {
      decisions: [
        { id: "d1", dependsOn: ["d2"] },
        { id: "d2", dependsOn: ["d1"] },
      ],
    },
    status: 422,
    code: "dependency_cycle",
  },
  {
    name: "an unknown profile",
    path: post,
    json: { decisions: [], automationProfile: "yolo" },
    status: 422,
    code: "unknown_profile",
    field: "/automationProfile",
  },
  {
    name: "a binding to nothing",
    path: post,
    json: { decisions: [], resourceBindings: { repo: "app" } },
    status: 422,
    code: "unknown_resource",
    field: "/resourceBindings/repo",
  },
  {
    name: "a tree that was not uploaded",
    path: post,
    json: { decisions: [], projectResources: { app: { tree: hash } } },
    status: 422,
    code: "content_missing",
    field: "/projectResources/app/tree",
  },
  {
    name: "a project that there is not",
    path: post,
    json: { decisions: [], projectResources: { app: { project: "local/app" } } },
    status: 422,
    code: "unknown_resource",
    field: "/projectResources/app/project",
  },
  {
    name: "a plan id that is not allowed",
    path: "/v1/plans/-x/execute",
    json: { decisions: [] },
    status: 422,
    code: "validation_failed",
    field: "planId",
  },
  {
    name: "a plan id that is the service's to give",
    path: "/v1/plans/pln_mine/execute",
    json: { decisions: [] },
    status: 422,
    code: "validation_failed",
    field: "planId",
  },
  {
    name: "a reference to content that is not there",
    path: post,
    json: { contentSha256: hash },
    status: 422,
    code: "content_missing",
    field: "/contentSha256",
  },
  {
    name: "a reference with more in it",
    path: post,
    json: { contentSha256: hash, decisions: [] },
    status: 422,
    code: "validation_failed",
    field: "/decisions",
  },
  // tools
  {
    name: "an unknown tool",
    path: post,
    json: call("launch_rocket", {}),
    status: 422,
    code: "unknown_tool",
    field: "/decisions/0/toolCalls/0/tool",
  },
  {
    name: "a tool input of a wrong type",
    path: post,
    json: call("write_file", { path: 7, content: "x" }),
    status: 422,
    code: "input_invalid",
    field: "/decisions/0/toolCalls/0/input/path",
  },
  {
    name: "a tool input without a field",
    path: post,
    json: call("write_file", { path: "a" }),
    status: 422,
    code: "input_invalid",
    field: "/decisions/0/toolCalls/0/input/content",
  },
  {
    name: "a tool input with an unknown field",
    path: post,
    json: call("write_file", { path: "a", content: "", shout: true }),
    status: 422,
    code: "input_invalid",
    field: "/decisions/0/toolCalls/0/input/shout",
  },
  {
    name: "an input that is no object",
    path: post,
    json: call("write_file", "a"),
    status: 422,
    code: "validation_failed",
    field: "/decisions/0/toolCalls/0/input",
  },
  {
    name: "an unknown resource",
    path: post,
    json: call("write_file", { path: "a", content: "", resource: "nowhere" }),
    status: 422,
    code: "unknown_resource",
    field: "/decisions/0/toolCalls/0/input/resource",
  },
  // control
  {
    name: "pause of an unknown plan",
    path: "/v1/plans/nothing/pause",
    json: {},
    status: 404,
    code: "not_found",
  },
  {
    name: "resume with an unknown tool",
    path: "/v1/plans/standing/resume",
    json: { toolCalls: { d1: [{ tool: "rm", input: {} }] } },
    status: 422,
    code: "unknown_tool",
    field: "/toolCalls/d1/0/tool",
  },
  {
    name: "a reason that is no text",
    path: "/v1/plans/standing/cancel",
    json: { reason: 1 },
    status: 422,
    code: "validation_failed",
    field: "/reason",
  },
  // content and projects
  {
    name: "a hash that is none",
    path: "/v1/content/missing",
    json: { contents: ["abc"], directories: [] },
    status: 422,
    code: "validation_failed",
    field: "/contents/0",
  },
  {
    name: "too many hashes",
    path: "/v1/content/missing",
    json: { contents: Array(5001).fill(hash), directories: [] },
    status: 422,
    code: "limit_exceeded",
    field: "/contents",
  },
  {
    name: "content that is no base64",
    path: "/v1/content/packs",
    json: { contents: ["?"], directories: [] },
    status: 422,
    code: "validation_failed",
    field: "/contents/0",
  },
  {
    name: "a directory that names what is not there",
    path: "/v1/content/packs",
    json: {
      contents: [],
      directories: [
        {
          entries: [
            { kind: "file", name: "a", mode: "100644", sha256: hash, sizeBytes: 1, gitId: "a".repeat(40) },
          ],
        },
      ],
    },
    status: 422,
    code: "content_missing",
    field: "/directories/0/entries/0",
  },
  {
    name: "a directory with a name that no tree takes",
    path: "/v1/content/packs",
    json: {
      contents: [],
      directories: [
        {
          entries: [
            { kind: "file", name: "..", mode: "100644", sha256: hash, sizeBytes: 1, gitId: "a".repeat(40) },
          ],
        },
      ],
    },
    status: 422,
    code: "path_refused",
    field: "/directories/0/entries/0/name",
  },
  {
    name: "a directory that says another git id",
    path: "/v1/content/packs",
    json: {
      contents: [Buffer.from("x").toString("base64")],
      directories: [
        {
          entries: [
            {
              kind: "file",
              name: "a",
              mode: "100644",
              sha256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
              sizeBytes: 1,
              gitId: "a".repeat(40),
            },
          ],
        },
      ],
    },
    status: 422,
    code: "content_mismatch",
    field: "/directories/0/entries/0/gitId",
  },
  { name: "content that there is not", path: `/v1/content/${hash}`, status: 404, code: "not_found" },
  { name: "content under no hash", path: "/v1/content/abc", status: 404, code: "not_found" },
  {
    name: "an upload of nothing",
    path: "/v1/content/uploads",
    json: { sha256: hash, sizeBytes: 0 },
    status: 422,
    code: "validation_failed",
    field: "/sizeBytes",
  },
  { name: "a project that there is not", path: "/v1/projects/local/nothing", status: 404, code: "not_found" },
  {
    name: "a project of a tree that was not uploaded",
    path: "/v1/projects/local/app",
    request: { method: "PUT" },
    json: { tree: hash },
    status: 422,
    code: "content_missing",
    field: "/tree",
  },
  {
    name: "a project id that is not allowed",
    path: "/v1/projects/local/a%20b",
    request: { method: "PUT" },
    json: { tree: hash },
    status: 422,
    code: "validation_failed",
    field: "project",
  },
  {
    name: "a revision that is none",
    path: "/v1/projects/local/app",
    request: { method: "PUT", headers: { "if-match": "W/x" } },
    json: { tree: hash },
    status: 422,
    code: "validation_failed",
    field: "if-match",
  },
];

const sent = async ({ path, request, json, raw }: Case): Promise<Answer> => {
  const given = typeof request === "function" ? request() : (request ?? {});
  if (json !== undefined) return service.sendJson(path, json, given);
  if (raw !== undefined) {
    const headers = { "content-type": "application/json", ...given.headers };
    return service.send(path, { method: "POST", ...given, headers, body: raw });
  }
  return service.send(path, given);
};

for (const one of cases) {
  test(`bad input: ${one.name} is answered ${one.status} ${one.code}`, async () => {
    const answer = await sent(one);
    const problem = z.parse(problemDocument, answer.json());
    assert.equal(answer.headers.get("content-type"), "application/problem+json");
    assert.deepEqual(
      {
        status: answer.status,
        code: problem.code,
        ...(one.field === undefined ? {} : { field: problem.field }),
      },
      { status: one.status, code: one.code, ...(one.field === undefined ? {} : { field: one.field }) },
      answer.text,
    );
    assert.equal(problem.status, one.status);
    assert.doesNotMatch(answer.text, /\bat .*\.ts:|node_modules/);
  });
}

test("a wrong method is told which are possible, and a missing token how to send one", async () => {
  const method = await service.send("/v1/plans", { method: "DELETE" });
  assert.equal(method.headers.get("allow"), "GET");
  const token = await service.send("/v1/plans", { token: null });
  assert.match(token.headers.get("www-authenticate") ?? "", /^Bearer/);
});

test("a body beyond what the gateway takes is answered 413, and the next request is served", async () => {
  const body = new Uint8Array(11 * 1024 * 1024);
  const answer = await service.send("/v1/content/packs", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  assert.equal(answer.status, 413);
  assert.equal((await service.send("/v1/health")).status, 200);
});

test("after all of that the service still runs a plan", async () => {
  const answer = await service.sendJson("/v1/plans/after/execute", planWriting("a.txt", "a"));
  assert.equal(answer.status, 202, answer.text);
  assert.equal((await service.ended("after")).phase, "completed");
});
