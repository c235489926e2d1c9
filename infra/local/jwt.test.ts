import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { type TestIssuer, testIssuer } from "#lib/access/oidc-issuer.testkit.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

let issuer: TestIssuer;
let service: EmbeddedService;
before(async () => {
  issuer = await testIssuer();
  service = await startEmbeddedService({
    port: 0,
    settings: { JWT_ISSUER: issuer.issuer, JWT_AUDIENCE: "planledger", JWT_TENANT_CLAIM: "org" },
  });
});
after(async () => {
  await service.stop();
  await issuer[Symbol.asyncDispose]();
});

const problem = z.object({ code: z.string(), details: z.record(z.string(), z.unknown()) });
const asked = async (path: string, bearer: string, body?: unknown): Promise<Response> =>
  fetch(`${service.url}${path}`, {
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
  });
const claims = (more: Readonly<Record<string, unknown>> = {}) => ({
  iss: issuer.issuer,
  aud: "planledger",
  sub: "ada",
  org: "acme",
  scope: "plans:read tokens:write",
  exp: Math.floor(Date.now() / 1000) + 3_600,
  ...more,
});

test("a JWT of the issuer opens its tenant with its scopes, beside tokens; others are told why not", async () => {
  const jwt = await issuer.sign(claims());
  assert.equal((await asked("/v1/plans", jwt)).status, 200);
  assert.equal((await asked("/v1/plans", service.token)).status, 200);

  const forbidden = await asked("/v1/plans/p/execute", jwt, { decisions: [] });
  assert.equal(forbidden.status, 403);
  assert.equal(problem.parse(await forbidden.json()).code, "forbidden");

  for (const [reason, bearer] of [
    ["untrusted", await issuer.sign(claims({ aud: "else" }))],
    ["expired", await issuer.sign(claims({ exp: 1_000_000_000 }))],
    ["claims_missing", await issuer.sign(claims({ org: undefined }))],
    ["malformed", "no.jwt.here"],
    ["malformed", `plt_${jwt}`],
  ] as const) {
    const refused = await asked("/v1/plans", bearer);
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get("www-authenticate"), 'Bearer realm="planledger"');
    const { code, details } = problem.parse(await refused.json());
    assert.deepEqual([code, details.reason], ["unauthenticated", reason]);
  }
});

test("a JWT's bearer makes tokens of their own tenant, for no longer than the JWT itself lasts", async () => {
  const jwt = await issuer.sign(claims());
  assert.equal((await asked("/v1/tokens", jwt, { scopes: ["plans:read"] })).status, 403);
  const made = await asked("/v1/tokens", jwt, { scopes: ["plans:read"], expiresInSeconds: 60 });
  assert.equal(made.status, 201);
  const reply = z.object({ token: z.string(), principal: z.string() }).parse(await made.json());
  assert.equal(reply.principal, "ada");
  const listed = z.object({ tokens: z.array(z.unknown()) });
  const own = await asked("/v1/tokens", jwt);
  assert.equal(listed.parse(await own.json()).tokens.length, 1);
  assert.equal((await asked("/v1/plans", reply.token)).status, 200);
});
