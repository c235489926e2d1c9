import assert from "node:assert/strict";
import { test } from "node:test";
import { noWebhooks, type Webhook, type WebhookList } from "./webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

let tenants = 0;
const newTenant = (): string => {
  tenants += 1;
  return `tenant-${tenants}`;
};

const webhook = (name: string, change: Partial<Webhook> = {}): Webhook => ({
  id: `id-${name}`,
  name,
  url: "https://example.com/hook?a=b",
  phases: ["completed", "failed"],
  secret: { kind: "generated", text: "whsec_c2VjcmV0" },
  createdBy: "ada",
  createdAtEpochMs: 1_790_000_000_000,
  listensSinceEpochMs: 1_790_000_000_001,
  ...change,
});

const listOf = (tenant: string, revision: number, webhooks: readonly Webhook[]): WebhookList => ({
  v: 1,
  tenant,
  revision,
  webhooks,
});

/** The behaviour of every `WebhookStore`. */
export function webhookStoreContract(name: string, open: () => Promise<WebhookStore>): void {
  test(`${name}: a tenant that never had a webhook has none, and listens to nothing`, async () => {
    const store = await open();
    const tenant = newTenant();
    assert.deepEqual(await store.read(tenant), noWebhooks(tenant));
    assert.equal(await store.listens(tenant), false);
  });

  test(`${name}: a list reads back whole, with everything that a webhook can have, and only for its tenant`, async () => {
    const store = await open();
    const [tenant, other] = [newTenant(), newTenant()];
    const list = listOf(tenant, 1, [
      webhook("one", {
        failingSinceEpochMs: 1_790_000_000_002,
        disabled: { atEpochMs: 1_790_000_000_003, reason: "dïsabled \u0000" },
        secret: { kind: "named", name: "HOOK" },
      }),
      webhook("two", {
        secret: { kind: "generated", text: "whsec_YQ==", former: { text: "whsec_Yg==", untilEpochMs: 1 } },
      }),
    ]);
    assert.equal(await store.write(list), true);
    assert.deepEqual(await store.read(tenant), list);
    assert.deepEqual(await store.read(other), noWebhooks(other));
  });

  test(`${name}: a list is written only onto the revision that it was made for, and only once`, async () => {
    const store = await open();
    const tenant = newTenant();
    assert.equal(await store.write(listOf(tenant, 2, [webhook("one")])), false);
    const rivals = [listOf(tenant, 1, [webhook("one")]), listOf(tenant, 1, [webhook("two")])];
    const written = await Promise.all(rivals.map((list) => store.write(list)));
    assert.deepEqual(written.toSorted(), [false, true]);
    assert.deepEqual(await store.read(tenant), rivals[written.indexOf(true)]);
    assert.equal(await store.write(listOf(tenant, 2, [])), true);
    assert.equal(await store.write(listOf(tenant, 2, [webhook("late")])), false);
    assert.deepEqual((await store.read(tenant)).webhooks, []);
  });

  test(`${name}: somebody listens as long as one webhook is not disabled`, async () => {
    const store = await open();
    const tenant = newTenant();
    const disabled = webhook("off", { disabled: { atEpochMs: 1, reason: "gone" } });
    const heard: boolean[] = [];
    for (const [index, webhooks] of [[webhook("on"), disabled], [disabled], [webhook("on")], []].entries()) {
      assert.equal(await store.write(listOf(tenant, index + 1, webhooks)), true);
      heard.push(await store.listens(tenant));
    }
    assert.deepEqual(heard, [true, false, true, false]);
  });
}
