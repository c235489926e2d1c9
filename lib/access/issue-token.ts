import { AccessError } from "../errors/planledger-error.ts";
import type { Clock, IdSource } from "../run/clock.ts";
import type { Caller } from "./caller.ts";
import type { Scope, TokenRecord, TokenStore } from "./token-store.ts";
import { formatToken, secretSha256 } from "./token-text.ts";

/** Secrets of new tokens: 32 random bytes in base64url. */
export interface SecretSource {
  secret(): string;
}

export interface TokenPorts {
  readonly tokens: TokenStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly secrets: SecretSource;
}

export interface TokenOrder {
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
  readonly expiresInSeconds?: number | undefined;
}

/** Creates a token; `token` is its text, which is told once and kept nowhere. */
export const issueToken = async (
  ports: TokenPorts,
  order: TokenOrder,
): Promise<{ readonly token: string; readonly record: TokenRecord }> => {
  const now = ports.clock.now();
  const id = ports.ids.ulid();
  const secret = ports.secrets.secret();
  const record: TokenRecord = {
    v: 1,
    id,
    secretSha256: secretSha256(secret),
    tenant: order.tenant,
    principal: order.principal,
    scopes: [...new Set(order.scopes)],
    createdAtEpochMs: now,
    ...(order.expiresInSeconds === undefined
      ? {}
      : { expiresAtEpochSeconds: Math.floor(now / 1000) + order.expiresInSeconds }),
  };
  // A fresh ULID that stands already is this very write, repeated by the SDK after a lost reply.
  await ports.tokens.create(record);
  return { token: formatToken({ id, secret }), record };
};

/** Nobody grants what they do not have, nor for longer than they have it, nor, without `tokens:delegate`, to others. */
export const requireGrantable = (
  caller: Caller,
  wanted: {
    readonly principal?: string | undefined;
    readonly scopes: readonly Scope[];
    readonly expiresInSeconds?: number | undefined;
  },
  clock: Clock,
): void => {
  requireSpeaksFor(caller, wanted.principal);
  const lacking = wanted.scopes.filter((scope) => !caller.scopes.includes(scope));
  if (lacking.length > 0) {
    throw new AccessError({
      code: "forbidden",
      message: `A token can only grant scopes that it has; this one lacks ${lacking.join(", ")}.`,
      details: { field: "/scopes", lacking, granted: caller.scopes },
    });
  }
  requireShorterLife(caller, wanted.expiresInSeconds, clock);
};

const requireShorterLife = (caller: Caller, expiresInSeconds: number | undefined, clock: Clock): void => {
  if (caller.expiresAtEpochSeconds === undefined) return;
  const leftSeconds = Math.max(0, caller.expiresAtEpochSeconds - Math.floor(clock.now() / 1000));
  if (expiresInSeconds !== undefined && expiresInSeconds <= leftSeconds) return;
  throw new AccessError({
    code: "forbidden",
    message: `A token cannot make one that outlives it; this one ends in ${leftSeconds} s. Give expiresInSeconds of up to that.`,
    details: { field: "/expiresInSeconds", limit: leftSeconds },
  });
};

/** The caller itself, or somebody that the caller may speak for; else `forbidden`. */
export const requireSpeaksFor = (caller: Caller, principal: string | undefined): void => {
  if (principal === undefined || principal === caller.principal) return;
  if (caller.scopes.includes("tokens:delegate")) return;
  throw new AccessError({
    code: "forbidden",
    message:
      `This token is ${caller.principal}'s and speaks for nobody else: for ${principal} it needs the scope tokens:delegate. ` +
      "Leave the principal out, or use a token that has it.",
    details: { field: "/principal", required: "tokens:delegate", granted: caller.scopes },
  });
};
