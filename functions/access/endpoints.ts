import * as z from "zod/mini";
import { issueToken, requireGrantable, type TokenPorts } from "#lib/access/issue-token.ts";
import type { TokenRecord } from "#lib/access/token-store.ts";
import { isTokenId } from "#lib/access/token-text.ts";
import { jsonReply } from "#lib/api/api-reply.ts";
import { decodeCursor, encodeCursor } from "#lib/api/cursor.ts";
import { type Endpoint, endpoint, parameter } from "#lib/api/endpoint.ts";
import { createToken, listTokens, revokeToken } from "#lib/api/service-routes.ts";
import type { TokenReply } from "#lib/api/token-requests.ts";
import { NotFoundError } from "#lib/errors/planledger-error.ts";

const listing = "tokens";

/** Tokens of the caller's tenant. */
export const accessEndpoints = (ports: TokenPorts): readonly Endpoint[] => [
  endpoint(createToken, async ({ caller, body }) => {
    requireGrantable(caller, body, ports.clock);
    const { token, record } = await issueToken(ports, {
      tenant: caller.tenant,
      principal: body.principal ?? caller.principal,
      scopes: body.scopes,
      expiresInSeconds: body.expiresInSeconds,
    });
    return jsonReply(201, { ...tokenReplyOf(record), token });
  }),
  endpoint(listTokens, async ({ caller, query }) => {
    const page = await ports.tokens.list({
      tenant: caller.tenant,
      limit: query.limit ?? 50,
      ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, listing, z.string()) }),
    });
    return jsonReply(200, {
      tokens: page.tokens.map(tokenReplyOf),
      ...(page.cursor === undefined ? {} : { cursor: encodeCursor(listing, page.cursor) }),
    });
  }),
  endpoint(revokeToken, async (request) => {
    const id = parameter(request, "tokenId");
    const { tenant } = request.caller;
    // What can be no id is the id of no token, and no key of a table either.
    const revoked =
      isTokenId(id) && (await ports.tokens.revoke({ tenant, id, atEpochMs: ports.clock.now() }));
    if (!revoked) {
      throw new NotFoundError({
        code: "not_found",
        message: `There is no token ${id.slice(0, 100)}.`,
        details: { tokenId: id.slice(0, 100) },
      });
    }
    return { status: 204, body: { kind: "empty" } };
  }),
];

const tokenReplyOf = (token: TokenRecord): TokenReply => ({
  id: token.id,
  principal: token.principal,
  scopes: [...token.scopes],
  createdAt: new Date(token.createdAtEpochMs).toISOString(),
  ...(token.expiresAtEpochSeconds === undefined
    ? {}
    : { expiresAt: new Date(token.expiresAtEpochSeconds * 1000).toISOString() }),
  ...(token.revokedAtEpochMs === undefined
    ? {}
    : { revokedAt: new Date(token.revokedAtEpochMs).toISOString() }),
});
