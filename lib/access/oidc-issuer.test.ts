import assert from "node:assert/strict";
import { test } from "node:test";
import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from "jose";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { authorizeRequest } from "./authorize-request.ts";
import { issueToken } from "./issue-token.ts";
import { memoryTokenStore } from "./memory-token-store.ts";
import { type TestIssuer, testIssuer } from "./oidc-issuer.testkit.ts";
import { clockToleranceSeconds, oidcIssuer } from "./oidc-issuer.ts";

const nowSeconds = Date.UTC(2026, 10, 30) / 1000;
const audience = "https://planledger.test";

const world = async (options: { readonly cooldownSeconds?: number } = {}) => {
  const issuer = await testIssuer();
  const clock = { now: () => nowSeconds * 1000 };
  const judge = oidcIssuer({
    issuer: issuer.issuer,
    audience,
    tenantClaim: "https://planledger.test/tenant",
    principalClaim: "sub",
    clock,
    // Never over while a test runs, unless it is to be over at once.
    cooldownSeconds: options.cooldownSeconds ?? 86_400,
  });
  const claims = {
    iss: issuer.issuer,
    aud: audience,
    sub: "auth0|ada",
    "https://planledger.test/tenant": "acme",
    scope: "openid plans:read plans:write",
    exp: nowSeconds + 600,
    jti: "jwt-1",
  };
  return {
    issuer,
    clock,
    judge,
    claims,
    denial: async (jwt: string) => {
      const verdict = await judge(jwt);
      return verdict.kind === "denied" ? verdict.denial : "allowed";
    },
    [Symbol.asyncDispose]: () => issuer[Symbol.asyncDispose](),
  };
};

test("a JWT names tenant, principal and scopes by its claims; scopes of other services are left alone", async () => {
  await using it = await world();
  assert.deepEqual(await it.judge(await it.issuer.sign(it.claims)), {
    kind: "allowed",
    caller: {
      tenant: "acme",
      principal: "auth0|ada",
      scopes: ["plans:read", "plans:write"],
      expiresAtEpochSeconds: nowSeconds + 600,
    },
    tokenId: "jwt-1",
  });
  const { scope: _, ...rest } = it.claims;
  const listed = await it.judge(await it.issuer.sign({ ...rest, scp: ["plans:approve", "everything", 7] }));
  assert.deepEqual(listed.kind === "allowed" && listed.caller.scopes, ["plans:approve"]);
  const none = await it.judge(await it.issuer.sign(rest));
  assert.deepEqual(none.kind === "allowed" && none.caller.scopes, []);
});

for (const algorithm of ["RS256", "PS256", "ES384", "EdDSA"]) {
  test(`a signature by ${algorithm} is taken`, async () => {
    await using it = await world();
    await it.issuer.rotate({ algorithm });
    assert.equal(await it.denial(await it.issuer.sign(it.claims)), "allowed");
  });
}

test("a JWT for another audience, of another issuer, or signed by nobody's key is not trusted", async () => {
  await using it = await world();
  const { claims, issuer } = it;
  assert.equal(await it.denial(await issuer.sign({ ...claims, aud: "https://else.test" })), "untrusted");
  assert.equal(await it.denial(await issuer.sign({ ...claims, aud: [audience, "x"] })), "allowed");
  assert.equal(await it.denial(await issuer.sign({ ...claims, iss: `${issuer.issuer}/` })), "untrusted");
  await using other = await testIssuer();
  // The other issuer's key has the same id, and the JWT claims to be this one's.
  assert.equal(await it.denial(await other.sign(claims)), "untrusted");
  const { aud: _, ...rest } = claims;
  assert.equal(await it.denial(await issuer.sign(rest)), "untrusted");
});

test("time is held to exp and nbf, with the tolerance that is stated; without exp a JWT is not taken", async () => {
  await using it = await world();
  const { claims, issuer } = it;
  const tolerance = clockToleranceSeconds;
  assert.equal(await it.denial(await issuer.sign({ ...claims, exp: nowSeconds - tolerance + 1 })), "allowed");
  assert.equal(await it.denial(await issuer.sign({ ...claims, exp: nowSeconds - tolerance })), "expired");
  assert.equal(await it.denial(await issuer.sign({ ...claims, nbf: nowSeconds + tolerance })), "allowed");
  assert.equal(
    await it.denial(await issuer.sign({ ...claims, nbf: nowSeconds + tolerance + 1 })),
    "untrusted",
  );
  const { exp: _, ...rest } = claims;
  assert.equal(await it.denial(await issuer.sign(rest)), "untrusted");
});

test("no algorithm is taken that needs no private key: none, or a secret that is the public key", async () => {
  await using it = await world();
  await it.issuer.rotate({ algorithm: "RS256" });
  const [jwk] = it.issuer.published;
  assert.ok(jwk?.kid !== undefined);
  const publicKey = await importJWK(jwk, "RS256");
  assert.ok(!(publicKey instanceof Uint8Array));
  const secrets = [await exportSPKI(publicKey), JSON.stringify(jwk), String(jwk.n)].map((text) =>
    Buffer.from(text),
  );
  for (const secret of secrets) {
    const forged: string = await new SignJWT(it.claims)
      .setProtectedHeader({ alg: "HS256", kid: jwk.kid })
      .sign(secret);
    assert.equal(await it.denial(forged), "untrusted");
  }
  const unsecured = new UnsecuredJWT(it.claims).encode();
  assert.match(await it.denial(unsecured), /^(malformed|untrusted)$/);
  const genuine = await it.issuer.sign(it.claims);
  const [, payload, signature] = genuine.split(".");
  for (const header of [{ alg: "none" }, { alg: "none", kid: jwk.kid }, { alg: "PS256", kid: jwk.kid }]) {
    const encoded = Buffer.from(JSON.stringify(header)).toString("base64url");
    assert.match(await it.denial(`${encoded}.${payload}.${signature}`), /^(malformed|untrusted)$/);
    assert.match(await it.denial(`${encoded}.${payload}.`), /^(malformed|untrusted)$/);
  }
  assert.equal(await it.denial(genuine), "allowed");
});

test("a key that is published later is fetched when a JWT first names it; one that was taken back is not trusted", async () => {
  await using it = await world({ cooldownSeconds: 0 });
  const first = await it.issuer.sign(it.claims);
  assert.equal(await it.denial(first), "allowed");
  await it.issuer.rotate();
  assert.equal(await it.denial(await it.issuer.sign(it.claims)), "allowed");
  assert.deepEqual(it.issuer.fetched, { discovery: 1, keys: 2 });
  assert.equal(await it.denial(first), "untrusted");
});

test("unknown key ids do not have the keys fetched again and again", async () => {
  await using it = await world();
  assert.equal(await it.denial(await it.issuer.sign(it.claims)), "allowed");
  for (let i = 0; i < 5; i += 1) {
    assert.equal(await it.denial(await it.issuer.sign(it.claims, { kid: `unknown-${i}` })), "untrusted");
  }
  assert.deepEqual(it.issuer.fetched, { discovery: 1, keys: 1 });
});

test("a genuine JWT without a usable tenant or principal is told so", async () => {
  await using it = await world();
  const names = { tenant: "https://planledger.test/tenant", principal: "sub" };
  for (const [claim, value] of [
    [names.tenant, undefined],
    [names.tenant, ""],
    [names.tenant, ["acme"]],
    [names.tenant, "acme#T"],
    [names.tenant, "acme\n"],
    [names.tenant, "a".repeat(129)],
    [names.principal, undefined],
    [names.principal, " ada"],
    [names.principal, "a".repeat(129)],
  ] as const) {
    const jwt = await it.issuer.sign({ ...it.claims, [claim]: value });
    assert.equal(await it.denial(jwt), "claims_missing", `${claim}: ${JSON.stringify(value)}`);
  }
});

test("an issuer that cannot be asked is an outage, not the caller's fault, and is asked again", async () => {
  await using it = await world();
  const jwt = await it.issuer.sign(it.claims);
  it.issuer.script("discovery", [503]);
  await assert.rejects(it.judge(jwt), InfrastructureError);
  it.issuer.script("keys", [500]);
  await assert.rejects(it.judge(jwt), InfrastructureError);
  assert.equal(await it.denial(jwt), "allowed");
});

for (const [what, document] of [
  ["another issuer", { issuer: "https://else.test" }],
  ["keys under another protocol", { jwks_uri: "https://else.test/keys" }],
  ["no keys", { jwks_uri: 7 }],
] as const) {
  test(`a discovery document with ${what} is not used`, async () => {
    await using it = await world();
    it.issuer.claim(document);
    await assert.rejects(it.judge(await it.issuer.sign(it.claims)), InfrastructureError);
    assert.equal(it.issuer.fetched.keys, 0);
  });
}

test("what is no JWT is malformed; a token of the service never reaches the issuer", async () => {
  await using it = await world();
  const tokens = memoryTokenStore();
  const ports = {
    tokens,
    clock: it.clock,
    judgeJwt: it.judge,
    ids: { ulid: () => "01ARZ3NDEKTSV4RRFFQ69G5FAV" },
    secrets: { secret: () => "s".repeat(43) },
  };
  const { token } = await issueToken(ports, { tenant: "acme", principal: "ada", scopes: ["plans:read"] });
  const kindOf = async (bearer: string) => {
    const verdict = await authorizeRequest(ports, `Bearer ${bearer}`);
    return verdict.kind === "denied" ? verdict.denial : "allowed";
  };
  assert.equal(await kindOf(token), "allowed");
  const jwt = await it.issuer.sign(it.claims);
  assert.equal(await kindOf(`plt_${jwt}`), "malformed");
  assert.deepEqual(it.issuer.fetched, { discovery: 0, keys: 0 });
  assert.equal(await kindOf(jwt), "allowed");
  for (const text of ["abc", "a.b.c", "..", `${jwt}x.y`, jwt.split(".").slice(0, 2).join(".")]) {
    assert.equal(await kindOf(text), "malformed", text);
  }
});

test("a JWT whose claims were changed under its signature is not trusted", async () => {
  await using it = await world();
  const tampered = async (issuer: TestIssuer): Promise<string> => {
    const [header, , signature] = (await issuer.sign(it.claims)).split(".");
    const payload = Buffer.from(JSON.stringify({ ...it.claims, scope: "tokens:write" })).toString(
      "base64url",
    );
    return `${header}.${payload}.${signature}`;
  };
  assert.equal(await it.denial(await tampered(it.issuer)), "untrusted");
});
