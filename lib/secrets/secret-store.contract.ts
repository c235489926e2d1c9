import assert from "node:assert/strict";
import { test } from "node:test";
import type { SecretStore } from "./secret-store.ts";

/** The behaviour of every `SecretStore`. `open` is given what the store is to hold, by tenant and name. */
export function secretStoreContract(
  name: string,
  open: (secrets: Readonly<Record<string, Readonly<Record<string, string>>>>) => Promise<SecretStore>,
): void {
  test(`${name}: a secret is read by tenant and name; another tenant's is not there`, async () => {
    const store = await open({
      acme: { TOKEN: "acme's token", OTHER: "x" },
      globex: { TOKEN: "globex's\n" },
    });
    assert.equal(await store.get({ tenant: "acme", name: "TOKEN" }), "acme's token");
    assert.equal(await store.get({ tenant: "globex", name: "TOKEN" }), "globex's\n");
    assert.equal(await store.get({ tenant: "globex", name: "OTHER" }), undefined);
    assert.equal(await store.get({ tenant: "none", name: "TOKEN" }), undefined);
    assert.equal(await store.get({ tenant: "acme", name: "toString" }), undefined);
    assert.equal(await store.get({ tenant: "constructor", name: "name" }), undefined);
  });
}
