import assert from "node:assert/strict";
import { test } from "node:test";
import { AccessError } from "../errors/planledger-error.ts";
import { authorizeRequest } from "./authorize-request.ts";
import { issueToken, requireGrantable } from "./issue-token.ts";
import { noJwts } from "./judge-jwt.ts";
import { memoryTokenStore } from "./memory-token-store.ts";
import { requireCaller } from "./require-caller.ts";
import { scopes } from "./token-store.ts";
import { verdictFromContext, verdictToContext } from "./verdict-context.ts";

const start = Date.UTC(2026, 10, 30);

const world = () => {
  let now = start;
  const tokens = memoryTokenStore();
  const ports = {
    tokens,
    judgeJwt: noJwts,
    clock: { now: () => now },
    ids: { ulid: () => "01ARZ3NDEKTSV4RRFFQ69G5FAV" },
    secrets: { secret: () => "s".repeat(43) },
  };
  return {
    ...ports,
    ports,
    wait(ms: number) {
      now += ms;
    },
    issue: (expiresInSeconds?: number) =>
      issueToken(ports, { tenant: "acme", principal: "ada", scopes: ["plans:read"], expiresInSeconds }),
  };
};

test("a token names its tenant, principal and scopes", async () => {
  const { ports, issue } = world();
  const { token, record } = await issue();
  assert.match(token, /^plt_[0-9A-Z]{26}_.{43}$/);
  assert.ok(!JSON.stringify(record).includes("s".repeat(43)), "the secret is kept nowhere");
  assert.deepEqual(await authorizeRequest(ports, `Bearer ${token}`), {
    kind: "allowed",
    caller: { tenant: "acme", principal: "ada", scopes: ["plans:read"] },
    tokenId: record.id,
  });
});

test("what is wrong with a token is told apart, but an unknown id and a wrong secret are one", async () => {
  const { ports, issue, tokens, wait } = world();
  const denial = async (authorization: string | undefined) => {
    const verdict = await authorizeRequest(ports, authorization);
    return verdict.kind === "denied" ? verdict.denial : "allowed";
  };
  const { token, record } = await issue(60);
  assert.equal(await denial(undefined), "missing");
  assert.equal(await denial(""), "missing");
  for (const malformed of [token, `Basic ${token}`, "Bearer", "Bearer plt_x_y", `Bearer ${token} `]) {
    assert.equal(await denial(malformed), "malformed", malformed);
  }
  assert.equal(await denial(`Bearer ${token.slice(0, -1)}x`), "unknown");
  assert.equal(await denial(`Bearer ${token.replace("01ARZ", "01ARY")}`), "unknown");
  wait(59_999);
  assert.equal(await denial(`bearer ${token}`), "allowed");
  wait(1);
  assert.equal(await denial(`Bearer ${token}`), "expired");
  await tokens.revoke({ tenant: "acme", id: record.id, atEpochMs: start });
  assert.equal(await denial(`Bearer ${token}`), "revoked");
  assert.equal(await denial(`Bearer ${token.slice(0, -1)}x`), "unknown", "only who has the secret is told");
});

test("a verdict passes through the gateway's flat context; what is no verdict stays shut", () => {
  const allowed = {
    kind: "allowed",
    caller: { tenant: "acme", principal: "ada", scopes: [...scopes] },
    tokenId: "t",
  } as const;
  assert.deepEqual(verdictFromContext(JSON.parse(JSON.stringify(verdictToContext(allowed)))), allowed);
  const expired = { kind: "denied", denial: "expired" } as const;
  assert.deepEqual(verdictFromContext(verdictToContext(expired)), expired);
  for (const forged of [undefined, null, {}, { verdict: "allowed" }, { verdict: "allowed", tenant: "" }]) {
    assert.deepEqual(verdictFromContext(forged), { kind: "denied", denial: "missing" });
  }
});

test("scopes that nobody knows are not granted by a context that names them", () => {
  const verdict = verdictFromContext({
    verdict: "allowed",
    tenant: "acme",
    principal: "ada",
    scopes: "plans:read everything",
    tokenId: "t",
  });
  assert.deepEqual(verdict.kind === "allowed" && verdict.caller.scopes, ["plans:read"]);
});

test("a route's scope is required, and nobody grants what they lack", () => {
  const caller = { tenant: "acme", principal: "ada", scopes: ["tokens:write"] } as const;
  const verdict = { kind: "allowed", caller, tokenId: "t" } as const;
  assert.equal(requireCaller(verdict, "tokens:write"), caller);
  const forbidden = (error: unknown) => error instanceof AccessError && error.code === "forbidden";
  assert.throws(() => requireCaller(verdict, "plans:write"), forbidden);
  const clock = { now: () => start };
  assert.throws(
    () => requireGrantable(caller, { scopes: ["tokens:write", "plans:write"] }, clock),
    forbidden,
  );
  requireGrantable(caller, { scopes: ["tokens:write"] }, clock);
});

test("a token makes none that outlives it", async () => {
  const { ports, issue, wait } = world();
  const { token } = await issue(60);
  const verdict = verdictFromContext(verdictToContext(await authorizeRequest(ports, `Bearer ${token}`)));
  assert.ok(verdict.kind === "allowed");
  const grant = (expiresInSeconds?: number) =>
    requireGrantable(verdict.caller, { scopes: ["plans:read"], expiresInSeconds }, ports.clock);
  grant(60);
  const refused = { code: "forbidden", details: { field: "/expiresInSeconds", limit: 60 } };
  assert.throws(() => grant(), refused);
  assert.throws(() => grant(61), refused);
  wait(30_000);
  assert.throws(() => grant(31), { code: "forbidden" });
  grant(30);
});
