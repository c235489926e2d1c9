import { createRemoteJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import * as z from "zod/mini";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { Clock } from "../run/clock.ts";
import type { JudgeJwt } from "./judge-jwt.ts";
import { type ClaimNames, verdictOfClaims } from "./jwt-claims.ts";
import type { Denial, Verdict } from "./verdict.ts";

export interface OidcIssuerOptions extends ClaimNames {
  /** As its tokens have it in `iss`, to the letter; its discovery document lies under it. */
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  /** An unknown key id makes the keys be fetched anew, but not again within this. */
  readonly cooldownSeconds?: number;
}

/** How far the clocks of the issuer and of the service may lie apart. */
export const clockToleranceSeconds = 30;

/** Signatures by a private key that the issuer alone has; neither `none` nor one under a shared secret. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

const fetchTimeoutMs = 4_000;
/** Keys are fetched anew after this, whether or not an unknown one was named. */
const keysMaximumAgeMs = 600_000;

/**
 * Judges JWTs of one OIDC issuer by the keys that it publishes (`jwks_uri` of its discovery document, fetched at the first
 * JWT). Signature, `iss`, `aud`, `exp` (required) and `nbf` are checked. What is not the issuer's doing is a denial; keys
 * that cannot be fetched are an `InfrastructureError`, as nobody can tell then.
 */
export const oidcIssuer = (options: OidcIssuerOptions): JudgeJwt => {
  const { issuer, audience, clock, cooldownSeconds = 30 } = options;
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const publishedKeys = (): Promise<JWTVerifyGetKey> => {
    keys ??= jwksUri(issuer).then(
      (uri) =>
        createRemoteJWKSet(uri, {
          cooldownDuration: cooldownSeconds * 1000,
          cacheMaxAge: keysMaximumAgeMs,
          timeoutDuration: fetchTimeoutMs,
        }),
      (fault: unknown) => {
        keys = undefined;
        throw fault;
      },
    );
    return keys;
  };
  return async (jwt): Promise<Verdict> => {
    const getKey = await publishedKeys();
    try {
      const { payload } = await jwtVerify(jwt, getKey, {
        issuer,
        audience,
        algorithms,
        requiredClaims: ["exp"],
        clockTolerance: clockToleranceSeconds,
        currentDate: new Date(clock.now()),
      });
      return verdictOfClaims(payload, options);
    } catch (fault) {
      const denial = denialOf(fault);
      if (denial !== undefined) return { kind: "denied", denial };
      throw new InfrastructureError({
        message: `The keys of the JWT issuer ${issuer} cannot be fetched.`,
        cause: fault,
      });
    }
  };
};

/** `undefined`: the JWT could not be judged. */
const denialOf = (fault: unknown): Denial | undefined => {
  if (!(fault instanceof errors.JOSEError)) return undefined;
  switch (fault.code) {
    case errors.JWTExpired.code:
      return "expired";
    case errors.JWTInvalid.code:
    case errors.JWSInvalid.code:
      return "malformed";
    case errors.JWTClaimValidationFailed.code:
    case errors.JWSSignatureVerificationFailed.code:
    case errors.JWKSNoMatchingKey.code:
    case errors.JWKSMultipleMatchingKeys.code:
    case errors.JOSEAlgNotAllowed.code:
    case errors.JOSENotSupported.code:
      return "untrusted";
    default:
      return undefined;
  }
};

const discoveryDocument = z.object({ issuer: z.string(), jwks_uri: z.url() });

const jwksUri = async (issuer: string): Promise<URL> => {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const unusable = (problem: string, cause?: unknown): InfrastructureError =>
    new InfrastructureError({ message: `The JWT issuer's document at ${url} ${problem}.`, cause });
  let json: unknown;
  try {
    const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(fetchTimeoutMs) });
    if (!response.ok) throw unusable(`was answered with status ${response.status}`);
    json = await response.json();
  } catch (fault) {
    throw fault instanceof InfrastructureError ? fault : unusable("cannot be fetched", fault);
  }
  const document = z.safeParse(discoveryDocument, json);
  if (!document.success) throw unusable("names no issuer and no jwks_uri");
  if (document.data.issuer !== issuer) throw unusable("is of another issuer");
  const uri = new URL(document.data.jwks_uri);
  if (uri.protocol !== new URL(issuer).protocol) throw unusable("has its keys under another protocol");
  return uri;
};
