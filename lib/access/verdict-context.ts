import * as z from "zod/mini";
import { scopes } from "./token-store.ts";
import { denials, type Verdict } from "./verdict.ts";

/** A gateway hands on flat strings only. */
const context = z.discriminatedUnion("verdict", [
  z.object({
    verdict: z.literal("allowed"),
    tenant: z.string().check(z.minLength(1)),
    principal: z.string().check(z.minLength(1)),
    scopes: z.string(),
    expiresAtEpochSeconds: z.optional(z.string().check(z.regex(/^\d{1,12}$/))),
    tokenId: z.string(),
  }),
  z.object({ verdict: z.literal("denied"), denial: z.enum(denials) }),
]);

export const verdictToContext = (verdict: Verdict): Readonly<Record<string, string>> =>
  verdict.kind === "denied"
    ? { verdict: "denied", denial: verdict.denial }
    : {
        verdict: "allowed",
        tenant: verdict.caller.tenant,
        principal: verdict.caller.principal,
        scopes: verdict.caller.scopes.join(" "),
        ...(verdict.caller.expiresAtEpochSeconds === undefined
          ? {}
          : { expiresAtEpochSeconds: String(verdict.caller.expiresAtEpochSeconds) }),
        tokenId: verdict.tokenId,
      };

/** What is no verdict counts as a missing token: a route that lost its authorizer stays shut. */
export const verdictFromContext = (value: unknown): Verdict => {
  const parsed = z.safeParse(context, value);
  if (!parsed.success) return { kind: "denied", denial: "missing" };
  if (parsed.data.verdict === "denied") return { kind: "denied", denial: parsed.data.denial };
  const granted = new Set(parsed.data.scopes.split(" "));
  const expires = parsed.data.expiresAtEpochSeconds;
  return {
    kind: "allowed",
    caller: {
      tenant: parsed.data.tenant,
      principal: parsed.data.principal,
      scopes: scopes.filter((scope) => granted.has(scope)),
      ...(expires === undefined ? {} : { expiresAtEpochSeconds: Number(expires) }),
    },
    tokenId: parsed.data.tokenId,
  };
};
