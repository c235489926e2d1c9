import type { Clock } from "../run/clock.ts";
import type { JudgeJwt } from "./judge-jwt.ts";
import type { TokenStore } from "./token-store.ts";
import { isSecretOf, parseToken, tokenMark } from "./token-text.ts";
import type { Verdict } from "./verdict.ts";

/**
 * The verdict on an `Authorization` header. What begins as a token of the service is one, or malformed; everything else of a
 * bearer goes to `judgeJwt`. A wrong secret is answered as an unknown token; expiry and revocation are told
 * only to who knows the secret.
 */
export const authorizeRequest = async (
  {
    tokens,
    clock,
    judgeJwt,
  }: { readonly tokens: TokenStore; readonly clock: Clock; readonly judgeJwt: JudgeJwt },
  authorization: string | undefined,
): Promise<Verdict> => {
  if (authorization === undefined || authorization === "") return { kind: "denied", denial: "missing" };
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  if (bearer === undefined) return { kind: "denied", denial: "malformed" };
  if (!bearer.startsWith(tokenMark)) return judgeJwt(bearer);
  const text = parseToken(bearer);
  if (text === undefined) return { kind: "denied", denial: "malformed" };
  const token = await tokens.get(text.id);
  if (token === undefined || !isSecretOf(text.secret, token.secretSha256)) {
    return { kind: "denied", denial: "unknown" };
  }
  if (token.revokedAtEpochMs !== undefined) return { kind: "denied", denial: "revoked" };
  if (token.expiresAtEpochSeconds !== undefined && clock.now() >= token.expiresAtEpochSeconds * 1000) {
    return { kind: "denied", denial: "expired" };
  }
  return {
    kind: "allowed",
    caller: {
      tenant: token.tenant,
      principal: token.principal,
      scopes: token.scopes,
      ...(token.expiresAtEpochSeconds === undefined
        ? {}
        : { expiresAtEpochSeconds: token.expiresAtEpochSeconds }),
    },
    tokenId: token.id,
  };
};
