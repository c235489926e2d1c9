import type { Caller } from "./caller.ts";

export const denials = [
  "missing",
  "malformed",
  "unknown",
  "expired",
  "revoked",
  "untrusted",
  "claims_missing",
] as const;
/**
 * Why a request has no caller. Unknown id and wrong secret are one: neither tells whether the token exists. The last two are
 * of JWTs: not the trusted issuer's for this service, and genuine without a tenant or a principal.
 */
export type Denial = (typeof denials)[number];

/** What the authorizer found. It lets every request through; handlers turn a denial into a 401. */
export type Verdict =
  | { readonly kind: "allowed"; readonly caller: Caller; readonly tokenId: string }
  | { readonly kind: "denied"; readonly denial: Denial };
