import { type Scope, scopes } from "./token-store.ts";
import type { Verdict } from "./verdict.ts";

/** Which claims of an issuer's JWTs name the tenant and the principal. */
export interface ClaimNames {
  readonly tenantClaim: string;
  readonly principalClaim: string;
}

/**
 * The verdict on the claims of a JWT that has been verified. Tenant and principal must be texts that can stand in records and
 * keys. Scopes are those of `scope` (separated by spaces, RFC 9068) and of `scp` (the same, or a list) that the service knows.
 */
export function verdictOfClaims(claims: Readonly<Record<string, unknown>>, names: ClaimNames): Verdict {
  const tenant = claims[names.tenantClaim];
  const principal = claims[names.principalClaim];
  if (!isName(tenant) || tenant.includes("#") || !isName(principal)) {
    return { kind: "denied", denial: "claims_missing" };
  }
  const granted = new Set([...words(claims.scope), ...words(claims.scp)]);
  return {
    kind: "allowed",
    caller: {
      tenant,
      principal,
      scopes: scopes.filter((scope: Scope) => granted.has(scope)),
      ...(typeof claims.exp === "number" ? { expiresAtEpochSeconds: Math.floor(claims.exp) } : {}),
    },
    tokenId: typeof claims.jti === "string" ? claims.jti.slice(0, 256) : "jwt",
  };
}

/** 1 to 128 characters as with tokens, since records hold them; no control characters. */
const isName = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length <= 128 &&
  value.isWellFormed() &&
  /^[^\p{Cc}]+$/u.test(value) &&
  value.trim() === value;

const words = (value: unknown): readonly string[] => {
  if (typeof value === "string") return value.split(" ");
  return Array.isArray(value) ? value.filter((word) => typeof word === "string") : [];
};
