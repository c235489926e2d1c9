import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { PlanRecord } from "./compiled-plan.ts";
import type { PlanStore } from "./plan-store.ts";

let plans = 0;

function newPlan(change: Partial<PlanRecord> = {}): PlanRecord {
  plans += 1;
  return {
    v: 1,
    tenant: "plan-contract",
    planId: `plan-${plans}`,
    serverPlanId: `pln_01K${String(plans).padStart(23, "0")}`,
    documentSha256: "a".repeat(64),
    submittedBy: "user:ada",
    source: {
      action: "local/rename",
      revision: 4,
      contentSha256: "d".repeat(64),
      requestSha256: "e".repeat(64),
    },
    submittedAtEpochMs: 1_790_000_000_000 + plans,
    plan: {
      name: `plan number ${plans}`,
      automationProfile: "manual",
      resources: [
        { name: "app", project: "local/app", revision: 3, baseTree: "b".repeat(64), access: "write" },
      ],
      resourceBindings: { repo: "app" },
      tools: [
        {
          name: "charge",
          id: "local/charge",
          revision: 2,
          contentSha256: "c".repeat(64),
          definition: {
            name: "charge",
            inputSchema: { type: "object" },
            run: { kind: "http", deep: [null] },
          },
        },
      ],
      decisionCount: 1,
      decisions: {
        kind: "inline",
        decisions: [
          {
            ordinal: 0,
            id: "d1",
            rationale: "näh \u0000 \u{1f600}",
            dependsOn: [],
            toolCalls: [
              {
                tool: "write_file",
                input: { path: "a b/ç.txt", content: "x\r\n", deep: [1, null, { a: true }] },
              },
            ],
          },
        ],
      },
    },
    ...change,
  };
}

/** The behaviour of every `PlanStore`. `open` is called once; other tenants' plans may stand in the store. */
export function planStoreContract(name: string, open: () => Promise<PlanStore>): void {
  let store: PlanStore;
  before(async () => {
    store = await open();
  });

  test(`${name}: a plan reads back as it was accepted, by the caller's id and by the server's`, async () => {
    const plan = newPlan();
    assert.equal(await store.get(plan), undefined);
    assert.equal(await store.resolve(plan), undefined);
    assert.deepEqual(await store.create(plan), plan);
    assert.deepEqual(await store.get(plan), plan);
    assert.equal(await store.resolve(plan), undefined);
    for (const _ of [1, 2]) await store.enlist(plan);
    assert.equal(await store.resolve(plan), plan.planId);
  });

  test(`${name}: the first plan under an id stands, and every later one is answered with it (F13)`, async () => {
    const first = newPlan();
    await store.create(first);
    const second = { ...newPlan(), planId: first.planId, documentSha256: "c".repeat(64) };
    assert.deepEqual(await store.create(second), first);
    assert.deepEqual(await store.get(first), first);
  });

  test(`${name}: of two at once one stands, the same for both`, async () => {
    const one = newPlan();
    const other = { ...newPlan(), planId: one.planId };
    const [first, second] = await Promise.all([store.create(one), store.create(other)]);
    assert.deepEqual(first, second);
    await Promise.all([store.enlist(first), store.enlist(second)]);
    assert.equal(await store.resolve(first), one.planId);
  });

  test(`${name}: inline decisions of 1 MiB fit`, async () => {
    const plan = newPlan();
    const content = "0123456789abcdef".repeat(64 * 1024);
    const large: PlanRecord = {
      ...plan,
      plan: {
        ...plan.plan,
        decisions: {
          kind: "inline",
          decisions: [
            {
              ordinal: 0,
              id: "d1",
              dependsOn: [],
              toolCalls: [{ tool: "write_file", input: { path: "a", content } }],
            },
          ],
        },
      },
    };
    await store.create(large);
    assert.deepEqual(await store.get(large), large);
  });

  test(`${name}: another tenant has neither the plan nor its server id`, async () => {
    const plan = newPlan();
    await store.create(plan);
    await store.enlist(plan);
    assert.equal(await store.get({ ...plan, tenant: "other" }), undefined);
    assert.equal(await store.resolve({ ...plan, tenant: "other" }), undefined);
  });

  test(`${name}: plans list newest first, each once over all pages`, async () => {
    const tenant = `plan-contract-list-${name.replaceAll(/[^a-z]/gi, "")}`;
    const created: PlanRecord[] = [];
    for (let index = 0; index < 7; index += 1) {
      const plan = await store.create(newPlan({ tenant }));
      await store.enlist(plan);
      created.push(plan);
    }
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.list({ tenant, limit: 3, ...(cursor === undefined ? {} : { cursor }) });
      assert.ok(page.plans.length <= 3);
      for (const plan of page.plans) {
        const record = created.find(({ planId }) => planId === plan.planId);
        assert.deepEqual(plan, {
          planId: record?.planId,
          serverPlanId: record?.serverPlanId,
          submittedAtEpochMs: record?.submittedAtEpochMs,
          name: record?.plan.name,
        });
        listed.push(plan.planId);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    assert.deepEqual(listed, created.map(({ planId }) => planId).reverse());
    assert.deepEqual(await store.list({ tenant: `${tenant}-empty`, limit: 3 }), { plans: [] });
  });
}
