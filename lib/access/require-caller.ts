import { AccessError } from "../errors/planledger-error.ts";
import type { Caller } from "./caller.ts";
import type { Scope } from "./token-store.ts";
import type { Denial, Verdict } from "./verdict.ts";

const reasons: Readonly<Record<Denial, string>> = {
  missing: "This route needs a token: send it as `Authorization: Bearer plt_…`.",
  malformed: "The Authorization header holds no token; send it as `Authorization: Bearer plt_<id>_<secret>`.",
  unknown: "The token is not known here. Check that it is whole and made for this service.",
  expired:
    "The token has expired. Create another with `planledger token create`; a JWT comes anew from its issuer.",
  revoked: "The token has been revoked. Create another with `planledger token create`.",
  untrusted:
    "The JWT is not one that this service takes: it must come from the service's issuer, for its audience, and be signed with a key that the issuer publishes.",
  claims_missing:
    "The JWT is genuine but names no tenant or no principal in the claims that this service reads. Ask whoever runs the issuer to add them.",
};

/** The caller of a verdict that has the scope; else `unauthenticated` or `forbidden`. */
export const requireCaller = (verdict: Verdict, scope: Scope): Caller => {
  if (verdict.kind === "denied") {
    throw new AccessError({
      code: "unauthenticated",
      message: reasons[verdict.denial],
      details: { reason: verdict.denial },
    });
  }
  return requireScope(verdict.caller, scope);
};

/** The caller, if it has the scope; else `forbidden`. */
export const requireScope = (caller: Caller, scope: Scope): Caller => {
  if (caller.scopes.includes(scope)) return caller;
  throw new AccessError({
    code: "forbidden",
    message: `The token lacks the scope ${scope}. Use one that has it.`,
    details: { required: scope, granted: caller.scopes },
  });
};
