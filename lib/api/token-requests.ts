import * as z from "zod/mini";
import { scopes } from "../access/token-store.ts";

export const principalName = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/,
      "must be 1 to 128 letters (A–Z, a–z), digits, '.', '_', '@' or '-', the first a letter or a digit",
    ),
  );

/** `POST /v1/tokens`. `principal` defaults to the caller's, another one needs `tokens:delegate`; scopes that the caller lacks are refused. */
export const tokenRequest = z.strictObject({
  principal: z.optional(principalName),
  scopes: z.array(z.enum(scopes)).check(z.minLength(1), z.maxLength(scopes.length)),
  expiresInSeconds: z.optional(z.int().check(z.minimum(1), z.maximum(315_360_000))),
});
export type TokenRequest = z.infer<typeof tokenRequest>;

export const tokenReply = z.strictObject({
  id: z.string(),
  principal: z.string(),
  scopes: z.array(z.enum(scopes)),
  createdAt: z.string(),
  expiresAt: z.optional(z.string()),
  revokedAt: z.optional(z.string()),
});
export type TokenReply = z.infer<typeof tokenReply>;

/** 201 of `POST /v1/tokens`: the only time that the token itself is told. */
export const tokenCreatedReply = z.strictObject({ ...tokenReply.shape, token: z.string() });

export const tokenListReply = z.strictObject({
  tokens: z.array(tokenReply),
  cursor: z.optional(z.string()),
});
