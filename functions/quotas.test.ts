import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { contentSha256 } from "#lib/content/content-state.ts";
import { contentQuota } from "#lib/quota/content-quota.ts";
import { memoryQuotaStore } from "#lib/quota/memory-quota-store.ts";
import type { Quotas } from "#lib/quota/no-quotas.ts";
import { limitsOfTenant, quotaDocument } from "#lib/quota/quota-document.ts";
import { requestQuota } from "#lib/quota/request-quota.ts";
import { submissionQuota } from "#lib/quota/submission-quota.ts";
import { inMemoryService, type MemoryAnswer } from "./in-memory-service.testkit.ts";

const plan = (content: string) => ({
  decisions: [{ id: "d1", toolCalls: [{ tool: "write_file", input: { path: "a.txt", content } }] }],
});
const problem = z.object({
  code: z.string(),
  details: z.object({ quota: z.string(), limit: z.number(), retryAfterSeconds: z.number() }),
});
const refused = (answer: MemoryAnswer, quota: string): void => {
  assert.equal(answer.status, 429, answer.bytes.toString());
  const { code, details } = problem.parse(answer.json());
  assert.deepEqual([code, details.quota], ["quota_exceeded", quota]);
  assert.equal(answer.headers["retry-after"], String(details.retryAfterSeconds));
  assert.ok(details.retryAfterSeconds > 0);
};

/** The service in memory under a document of quotas; `writes` counts what reaches its stores. */
const limited = (document: Readonly<Record<string, unknown>>) => {
  const service = inMemoryService();
  const parsed = quotaDocument.parse(document);
  const ports = {
    store: memoryQuotaStore(),
    limitsOf: (tenant: string) => limitsOfTenant(parsed, tenant),
    clock: service.ports.clock,
  };
  const quotas: Quotas = {
    requests: requestQuota(ports),
    submissions: submissionQuota({ ...ports, openRuns: service.ports.openRuns }),
    content: contentQuota(ports),
  };
  const created: string[] = [];
  const { plans, storesOf } = service.ports;
  const used = service.using({
    quotas,
    plans: {
      ...plans,
      async create(record) {
        created.push(record.planId);
        return plans.create(record);
      },
    },
  });
  return { ...used, service, created, storesOf };
};

test("a submission over the quota is a 429 that wrote nothing; sent again in the next minute it is that plan", async () => {
  const { send, service, created } = limited({ plansPerMinute: 2 });
  for (const id of ["p1", "p2"]) {
    assert.equal((await send(`/v1/plans/${id}/execute`, { body: plan("x") })).status, 202);
  }
  refused(await send("/v1/plans/p3/execute", { body: plan("x".repeat(100_000)) }), "plansPerMinute");
  assert.deepEqual(created, ["p1", "p2"]);
  assert.equal(service.hints.length, 2);
  assert.equal((await send("/v1/plans/p3")).status, 404);

  // What stands is answered as ever: it is no new plan.
  assert.equal((await send("/v1/plans/p1/execute", { body: plan("x") })).status, 202);
  assert.equal((await send("/v1/plans/p1/execute", { body: plan("y") })).status, 409);
  // A tenant of its own is not held up.
  const other = { tenant: "globex", principal: "bob", scopes: ["plans:write"] } as const;
  assert.equal((await send("/v1/plans/p3/execute", { body: plan("x"), caller: other })).status, 202);

  service.advanceClock(60_000);
  assert.equal((await send("/v1/plans/p3/execute", { body: plan("x") })).status, 202);
  await service.drain();
  assert.deepEqual(Object(await send("/v1/plans/p3").then((answer) => answer.json())).phase, "completed");
});

test("what is refused for another reason uses nothing up", async () => {
  const { send } = limited({ plansPerMinute: 1 });
  const unknownTool = { decisions: [{ id: "d1", toolCalls: [{ tool: "nothing", input: {} }] }] };
  assert.equal((await send("/v1/plans/p1/execute", { body: unknownTool })).status, 422);
  assert.equal((await send("/v1/plans/p1/execute", { body: plan("x") })).status, 202);
});

test("runs under way make room when they end", async () => {
  const { send, service } = limited({ openRuns: 2 });
  for (const id of ["p1", "p2"]) await send(`/v1/plans/${id}/execute`, { body: plan("x") });
  refused(await send("/v1/plans/p3/execute", { body: plan("x") }), "openRuns");
  await service.drain();
  service.advanceClock(10_000);
  assert.equal((await send("/v1/plans/p3/execute", { body: plan("x") })).status, 202);
});

test("content over the quota is refused before it is stored, packs and uploads alike", async () => {
  const { send, storesOf } = limited({ contentMebibytesPerHour: 1 });
  const contents = [Buffer.alloc(1_048_576, "a").toString("base64")];
  assert.equal((await send("/v1/content/packs", { body: { contents, directories: [] } })).status, 200);
  const more = Buffer.from("more");
  const body = { contents: [more.toString("base64")], directories: [] };
  refused(await send("/v1/content/packs", { body }), "contentMebibytesPerHour");
  const sha256 = contentSha256(more);
  assert.deepEqual(await storesOf("acme").content.missing([sha256]), [sha256]);
  refused(
    await send("/v1/content/uploads", { body: { sha256, sizeBytes: 5_000_000 } }),
    "contentMebibytesPerHour",
  );
});

test("requests over the quota are refused before anything of them is read", async () => {
  const { send, service, created } = limited({ requestsPerMinute: 2 });
  assert.equal((await send("/v1/plans")).status, 200);
  assert.equal((await send("/v1/tokens")).status, 200);
  refused(await send("/v1/plans"), "requestsPerMinute");
  refused(await send("/v1/plans/p1/execute", { body: "no plan" }), "requestsPerMinute");
  assert.deepEqual(created, []);
  service.advanceClock(60_000);
  assert.equal((await send("/v1/plans")).status, 200);
});
