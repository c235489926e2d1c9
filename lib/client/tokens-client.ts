import type * as z from "zod/mini";
import {
  type TokenReply,
  type TokenRequest,
  tokenCreatedReply,
  tokenListReply,
} from "../api/token-requests.ts";
import { checkedId } from "./checked-id.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { pages } from "./pages.ts";
import { parsedReply } from "./parsed-reply.ts";

export type CreatedToken = z.output<typeof tokenCreatedReply>;

/** Tokens of the caller's tenant. The secret is told once, by `create`. */
export interface TokensClient {
  /** Never sent twice: a lost reply is an error, and may have left a token that `list` shows. */
  create(request: TokenRequest, signal?: AbortSignal): Promise<CreatedToken>;
  list(query?: { readonly signal?: AbortSignal }): AsyncIterable<TokenReply>;
  /** Takes effect within 60 s (the authorizer's cache). */
  revoke(id: string, signal?: AbortSignal): Promise<void>;
}

export function tokensClient(transport: HttpTransport): TokensClient {
  const tokens = path("v1", "tokens");
  return {
    create: async (request, signal) =>
      parsedReply(
        tokenCreatedReply,
        await transport.send({
          method: "POST",
          path: tokens,
          body: { json: request },
          repeatable: false,
          signal,
        }),
        "token",
      ),
    list: async function* (query = {}) {
      const read = async (cursor: string | undefined) =>
        parsedReply(
          tokenListReply,
          await transport.send({
            method: "GET",
            path: tokens,
            query: { cursor },
            repeatable: true,
            signal: query.signal,
          }),
          "token list",
        );
      for await (const page of pages(undefined, read)) yield* page.tokens;
    },
    revoke: async (id, signal) => {
      const one = path("v1", "tokens", checkedId("token", id));
      await transport.send({ method: "DELETE", path: one, repeatable: true, signal });
    },
  };
}
