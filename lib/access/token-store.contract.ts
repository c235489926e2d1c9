import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { scopes, type TokenRecord, type TokenStore } from "./token-store.ts";

let count = 0;
const fresh = (prefix: string) => `${prefix}${String(++count).padStart(6, "0")}`;

function token(tenant: string, fields: Partial<TokenRecord> = {}): TokenRecord {
  const id = fresh("t");
  return {
    v: 1,
    id,
    secretSha256: id.padEnd(64, "0"),
    tenant,
    principal: "user:ada",
    scopes: ["plans:read", "plans:write"],
    createdAtEpochMs: 1_790_000_000_000,
    ...fields,
  };
}

/** The behaviour of every `TokenStore`. */
export function tokenStoreContract(name: string, open: () => TokenStore | Promise<TokenStore>): void {
  describe(`${name} as a TokenStore`, () => {
    it("gives back a token as it was created, with expiry or without", async () => {
      const store = await open();
      const tenant = fresh("tenant");
      for (const created of [
        token(tenant),
        token(tenant, { expiresAtEpochSeconds: 1_800_000_000 }),
        token(tenant, { scopes: [...scopes], principal: "ci: büild #7" }),
        token(tenant, { scopes: [] }),
      ]) {
        assert.equal(await store.create(created), true);
        assert.deepEqual(await store.get(created.id), created);
      }
      assert.equal(await store.get(fresh("unknown")), undefined);
    });

    it("creates a token once: whoever comes with a taken id is refused, and the first stays", async () => {
      const store = await open();
      const [mine, theirs] = [fresh("tenant"), fresh("tenant")];
      const first = token(mine);
      const thief: TokenRecord = { ...token(theirs), id: first.id };
      const outcomes = [await store.create(first), await store.create(thief)];
      assert.deepEqual(outcomes, [true, false]);
      assert.deepEqual(await store.get(first.id), first);
      assert.deepEqual((await store.list({ tenant: theirs, limit: 10 })).tokens, []);
    });

    it("marks a token as revoked for good, the first time standing, and only for its own tenant", async () => {
      const store = await open();
      const tenant = fresh("tenant");
      const created = token(tenant);
      await store.create(created);
      const { id } = created;
      assert.equal(await store.revoke({ tenant: fresh("tenant"), id, atEpochMs: 1 }), false);
      assert.equal((await store.get(id))?.revokedAtEpochMs, undefined);
      assert.equal(await store.revoke({ tenant, id, atEpochMs: 2 }), true);
      assert.equal(await store.revoke({ tenant, id, atEpochMs: 3 }), true);
      assert.deepEqual(await store.get(id), { ...created, revokedAtEpochMs: 2 });
      assert.equal(await store.revoke({ tenant, id: fresh("unknown"), atEpochMs: 4 }), false);
    });

    it("lists a tenant's tokens by id, page by page, revoked ones included, and nobody else's", async () => {
      const store = await open();
      const tenant = fresh("tenant");
      const created = Array.from({ length: 7 }, () => token(tenant));
      for (const one of [...created].reverse()) await store.create(one);
      await store.create(token(fresh("tenant")));
      await store.revoke({ tenant, id: created[2]?.id ?? "", atEpochMs: 9 });
      const listed: TokenRecord[] = [];
      let cursor: string | undefined;
      let pages = 0;
      do {
        const page = await store.list({ tenant, limit: 3, ...(cursor === undefined ? {} : { cursor }) });
        assert.ok(page.tokens.length <= 3);
        listed.push(...page.tokens);
        cursor = page.cursor;
        pages += 1;
      } while (cursor !== undefined);
      assert.equal(pages, 3);
      assert.deepEqual(
        listed,
        created.map((one, index) => (index === 2 ? { ...one, revokedAtEpochMs: 9 } : one)),
      );
      assert.deepEqual(await store.list({ tenant: fresh("tenant"), limit: 3 }), { tokens: [] });
    });
  });
}
