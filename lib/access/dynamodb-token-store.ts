import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { dynamodbTable, type KeyedItem } from "../table/dynamodb-table.ts";
import { numberAttribute, requireVersion, textAttribute } from "../table/item-attributes.ts";
import type { TableItem } from "../table/table-item.ts";
import { keyPart, tokenKey, tokensPartition } from "../table/table-keys.ts";
import { type Scope, scopes, type TokenRecord, type TokenStore } from "./token-store.ts";

const storedScopes = z.array(z.string());

/**
 * Tokens on DynamoDB: the token under its id alone, since it tells the tenant, and before it an entry in its tenant's
 * list, so that no token works that its tenant cannot see and revoke. An entry without a token of the tenant's (a crash in
 * between, an id that was taken) is passed over.
 */
export function dynamodbTokenStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): TokenStore {
  const table = dynamodbTable(options);
  return {
    async create(token) {
      await table.putIfAbsent({
        pk: tokensPartition(token.tenant),
        sk: keyPart(token.id, "id"),
        v: 1,
      });
      const outcome = await table.putIfAbsent(encode(token));
      // The secret is random: an item with the same one is this call's own, its first answer lost.
      return outcome.written || outcome.standing?.x === token.secretSha256;
    },

    async get(id) {
      const item = await table.get(tokenKey(id));
      return item === undefined ? undefined : decode(item);
    },

    async revoke({ tenant, id, atEpochMs }) {
      const item = await table.get(tokenKey(id));
      if (item === undefined || textAttribute(item, "t") !== tenant) return false;
      if (item.rv !== undefined) return true;
      // Should it fail, somebody else revoked the token, and the first time stands.
      await table.putIf(encode({ ...decode(item), revokedAtEpochMs: atEpochMs }), {
        expression: "t = :t AND attribute_not_exists(rv)",
        values: { ":t": tenant },
      });
      return true;
    },

    async list({ tenant, limit, cursor }) {
      const { items, more } = await table.query({
        pk: tokensPartition(tenant),
        limit,
        ...(cursor === undefined ? {} : { after: keyPart(cursor, "cursor") }),
      });
      const ids = items.map((item) => textAttribute(item, "sk"));
      const found = (await table.getMany(ids.map(tokenKey))).map(decode);
      const byId = new Map(found.map((token) => [token.id, token]));
      const tokens = ids.flatMap((id) => {
        const token = byId.get(id);
        return token?.tenant === tenant ? [token] : [];
      });
      const last = ids.at(-1);
      return { tokens, ...(more && last !== undefined ? { cursor: last } : {}) };
    },
  };
}

function encode(token: TokenRecord): KeyedItem {
  return {
    ...tokenKey(token.id),
    v: token.v,
    i: token.id,
    x: token.secretSha256,
    t: token.tenant,
    p: token.principal,
    sc: JSON.stringify(token.scopes),
    at: token.createdAtEpochMs,
    ex: token.expiresAtEpochSeconds,
    rv: token.revokedAtEpochMs,
  };
}

function decode(item: TableItem): TokenRecord {
  requireVersion(item, 1);
  return {
    v: 1,
    id: textAttribute(item, "i"),
    secretSha256: textAttribute(item, "x"),
    tenant: textAttribute(item, "t"),
    principal: textAttribute(item, "p"),
    scopes: knownScopes(textAttribute(item, "sc")),
    createdAtEpochMs: numberAttribute(item, "at"),
    ...(item.ex === undefined ? {} : { expiresAtEpochSeconds: numberAttribute(item, "ex") }),
    ...(item.rv === undefined ? {} : { revokedAtEpochMs: numberAttribute(item, "rv") }),
  };
}

/** While versions change, a token may have scopes that this code does not know, and would not ask for. */
const knownScopes = (stored: string): readonly Scope[] =>
  storedScopes
    .parse(JSON.parse(stored))
    .flatMap((granted) => scopes.find((scope) => scope === granted) ?? []);
