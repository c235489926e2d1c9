import assert from "node:assert/strict";
import { test } from "node:test";
import { requestOfEvent } from "#functions/http-event.ts";
import { authorizerEvent, httpEvent, type ReceivedRequest } from "./http-event.ts";
import { routeRequest } from "./route-request.ts";

const received = (request: Partial<ReceivedRequest>): ReceivedRequest => ({
  method: "POST",
  target: "/v1/plans/p1/execute",
  rawHeaders: ["Host", "localhost", "Content-Type", "application/json"],
  body: Buffer.from("{}"),
  sourceIp: "127.0.0.1",
  requestId: "r1",
  atEpochMs: 0,
  ...request,
});
const routed = { routeKey: "POST /v1/plans/{planId}/execute", pathParameters: { planId: "p1" } };

test("a handler reads from an event what was in the request", () => {
  const event = httpEvent(
    received({
      target: "/v1/plans?limit=1&limit=2&cursor=a%2Bb%20c+d",
      rawHeaders: ["X-A", "1", "x-a", "2", "Content-Type", "application/json"],
      body: Buffer.from('{"name":"ü"}'),
    }),
    routed,
    { verdict: "denied", denial: "expired" },
  );
  const request = requestOfEvent(JSON.parse(JSON.stringify(event)));
  assert.equal(request.path, "/v1/plans");
  assert.deepEqual(request.query, { limit: "1,2", cursor: "a+b c d" });
  assert.equal(request.headers["x-a"], "1,2");
  assert.equal(Buffer.from(request.body).toString(), '{"name":"ü"}');
  assert.deepEqual(request.verdict, { kind: "denied", denial: "expired" });
});

test("text goes as text; binary media types, and text that is no UTF-8, go in base64 and come out the same", () => {
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);
  for (const [contentType, body, isBase64Encoded] of [
    ["application/json", Buffer.from("{}"), false],
    ["application/problem+json", Buffer.from("{}"), false],
    ["application/octet-stream", Buffer.from("{}"), true],
    ["application/json", bytes, true],
  ] as const) {
    const event = httpEvent(received({ rawHeaders: ["content-type", contentType], body }), routed, undefined);
    assert.equal(event.isBase64Encoded, isBase64Encoded, contentType);
    assert.deepEqual(Buffer.from(requestOfEvent(event).body), body);
  }
});

test("an authorizer gets the request without its body, and the header it decides by", () => {
  const event = authorizerEvent(received({ rawHeaders: ["Authorization", "Bearer x"] }), routed);
  assert.equal("body" in event, false);
  assert.deepEqual(event.identitySource, ["Bearer x"]);
  assert.equal(event.headers.authorization, "Bearer x");
});

test("a request target with a host in it counts by its path", () => {
  const event = httpEvent(received({ target: "http://elsewhere.example/v1/health?x=1" }), routed, undefined);
  assert.equal(event.rawPath, "/v1/health");
});

test("of two routes the one with fewer parameters takes a request, and $default what no other does", () => {
  const route = (key: string) => ({ route: key, function: "f", authorized: true });
  const choose = routeRequest([
    route("GET /a/{x}"),
    route("GET /a/{x}/{y}"),
    route("GET /a/b"),
    route("GET /a/b/{y}"),
    route("$default"),
  ]);
  const chosen = (method: string, path: string) => choose({ method, path })?.route.route;
  assert.equal(chosen("GET", "/a/b"), "GET /a/b");
  assert.equal(chosen("GET", "/a/c"), "GET /a/{x}");
  assert.equal(chosen("GET", "/a/b/c"), "GET /a/b/{y}");
  assert.equal(chosen("GET", "/a/c/c"), "GET /a/{x}/{y}");
  assert.equal(chosen("POST", "/a/b"), "$default");
  assert.equal(routeRequest([])({ method: "GET", path: "/" }), undefined);
});
