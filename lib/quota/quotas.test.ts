import assert from "node:assert/strict";
import { test } from "node:test";
import { PlanledgerError } from "../errors/planledger-error.ts";
import type { RunKey } from "../run/run-store.ts";
import { contentQuota } from "./content-quota.ts";
import { memoryQuotaStore } from "./memory-quota-store.ts";
import { limitsOfTenant, quotaDocument } from "./quota-document.ts";
import type { QuotaStore } from "./quota-store.ts";
import { requestQuota } from "./request-quota.ts";
import { recountSeconds, submissionQuota } from "./submission-quota.ts";

const none = {
  requestsPerMinute: null,
  plansPerMinute: null,
  decisionsPerMinute: null,
  openRuns: null,
  contentMebibytesPerHour: null,
};

/** Quotas of a document over a store that counts its writes, open runs of the test's, a clock that stands at hh:00:15. */
const world = (document: Readonly<Record<string, unknown>>) => {
  const store = memoryQuotaStore();
  const state = { nowEpochMs: Date.UTC(2026, 10, 30, 12, 0, 15), takes: 0, listings: 0 };
  const open: RunKey[] = [];
  const counting: QuotaStore = {
    async take(key, taking) {
      state.takes += 1;
      return store.take(key, taking);
    },
    correct: (key, correction) => store.correct(key, correction),
  };
  const parsed = quotaDocument.parse({ ...none, ...document });
  const ports = {
    store: counting,
    clock: { now: () => state.nowEpochMs },
    limitsOf: (tenant: string) => limitsOfTenant(parsed, tenant),
    openRuns: {
      async due({ cursor }: { readonly cursor?: string }) {
        state.listings += 1;
        const half = Math.ceil(open.length / 2);
        return cursor === undefined
          ? { runs: open.slice(0, half), cursor: "rest" }
          : { runs: open.slice(half) };
      },
    },
  };
  return {
    state,
    open,
    submissions: submissionQuota(ports),
    content: contentQuota(ports),
    requests: requestQuota(ports),
    anotherProcess: () => requestQuota(ports),
  };
};

const exceeded =
  (quota: string, retryAfterSeconds: number) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof PlanledgerError && error.code === "quota_exceeded" && error.retryable);
    assert.equal(error.details.quota, quota);
    assert.equal(error.details.retryAfterSeconds, retryAfterSeconds);
    assert.match(error.message, new RegExp(`${retryAfterSeconds} s`));
    return true;
  };
const acme = { tenant: "acme", decisions: 1 };
const times = async (count: number, run: () => Promise<unknown>): Promise<void> => {
  for (let i = 0; i < count; i += 1) await run();
};

test("plans are counted by the minute; the refusal says when the next one begins", async () => {
  const { submissions, state } = world({ plansPerMinute: 2 });
  await times(2, () => submissions.admit(acme));
  await assert.rejects(submissions.admit(acme), exceeded("plansPerMinute", 45));
  await submissions.admit({ ...acme, tenant: "globex" });
  state.nowEpochMs += 44_999;
  await assert.rejects(submissions.admit(acme), exceeded("plansPerMinute", 1));
  state.nowEpochMs += 1;
  await submissions.admit(acme);
});

test("decisions are counted by the minute, at one write for a plan of any size; a plan above the limit is let in alone", async () => {
  const { submissions, state } = world({ decisionsPerMinute: 1_000 });
  await submissions.admit({ ...acme, decisions: 999 });
  await submissions.admit({ ...acme, decisions: 1_000_000 });
  assert.equal(state.takes, 2);
  await assert.rejects(submissions.admit(acme), exceeded("decisionsPerMinute", 45));
});

test("runs under way are counted when their limit is reached, and no sooner; those that ended make room", async () => {
  const { submissions, state, open } = world({ openRuns: 3 });
  const run = (tenant: string, planId: string): RunKey => ({ tenant, planId, run: 1 });
  open.push(run("acme", "a"), run("globex", "b"), run("globex", "c"), run("globex", "d"));
  await times(3, () => submissions.admit(acme));
  assert.equal(state.listings, 0);
  // One of the three is still open: there is room for two more.
  await times(2, () => submissions.admit(acme));
  assert.equal(state.listings, 2);
  open.push(run("acme", "e"), run("acme", "f"));
  state.nowEpochMs += recountSeconds * 1_000;
  await assert.rejects(submissions.admit(acme), exceeded("openRuns", recountSeconds));
  assert.equal(state.listings, 4);
  // Asked again at once, it is not counted again.
  state.nowEpochMs += 4_000;
  await assert.rejects(submissions.admit(acme), exceeded("openRuns", recountSeconds - 4));
  assert.equal(state.listings, 4);
  open.splice(0);
  state.nowEpochMs += 6_000;
  await submissions.admit(acme);
});

test("uploads are counted by the hour in MiB", async () => {
  const { content, state } = world({ contentMebibytesPerHour: 2 });
  await content.admit({ tenant: "acme", bytes: 2 * 1_048_576 - 1 });
  await content.admit({ tenant: "acme", bytes: 500_000_000 });
  await assert.rejects(
    content.admit({ tenant: "acme", bytes: 1 }),
    exceeded("contentMebibytesPerHour", 3_585),
  );
  state.nowEpochMs += 3_585_000;
  await content.admit({ tenant: "acme", bytes: 1 });
});

test("requests are counted over all processes, at a write for each 25; once full, at none", async () => {
  const { requests, anotherProcess, state } = world({ requestsPerMinute: 1_000 });
  const other = anotherProcess();
  await times(500, () => requests.admit("acme"));
  await times(500, () => other.admit("acme"));
  assert.equal(state.takes, 40);
  await times(24, () => requests.admit("acme"));
  await assert.rejects(requests.admit("acme"), exceeded("requestsPerMinute", 45));
  assert.equal(state.takes, 41);
  await times(10, () => assert.rejects(requests.admit("acme")));
  assert.equal(state.takes, 41);
  await requests.admit("globex");
  state.nowEpochMs += 45_000;
  await requests.admit("acme");
});

test("a small limit on requests is met exactly", async () => {
  const { requests } = world({ requestsPerMinute: 3 });
  await times(3, () => requests.admit("acme"));
  await assert.rejects(requests.admit("acme"), exceeded("requestsPerMinute", 45));
});

test("where there is no limit nothing is counted; a tenant may have limits of its own, or none", async () => {
  const { submissions, content, requests, state } = world({
    plansPerMinute: 1,
    tenants: { globex: { plansPerMinute: 3 }, initech: { plansPerMinute: null } },
  });
  await times(3, () => submissions.admit({ ...acme, tenant: "globex" }));
  await assert.rejects(submissions.admit({ ...acme, tenant: "globex" }), exceeded("plansPerMinute", 45));
  const takes = state.takes;
  await times(9, () => submissions.admit({ ...acme, tenant: "initech" }));
  await content.admit({ tenant: "acme", bytes: 1e12 });
  await requests.admit("acme");
  assert.equal(state.takes, takes);
  await submissions.admit({ ...acme, tenant: "constructor" });
  await assert.rejects(submissions.admit({ ...acme, tenant: "constructor" }), exceeded("plansPerMinute", 45));
});

test("the document has a default for every limit, takes null for none, and refuses what it does not know", () => {
  const defaults = limitsOfTenant(quotaDocument.parse({}), "acme");
  for (const limit of Object.values(defaults)) assert.ok(typeof limit === "number" && limit > 0);
  for (const wrong of [
    { plans: 1 },
    { plansPerMinute: 0 },
    { plansPerMinute: "9" },
    { openRuns: 1.5 },
    { tenants: { acme: { tenants: {} } } },
  ]) {
    assert.equal(quotaDocument.safeParse(wrong).success, false, JSON.stringify(wrong));
  }
});
