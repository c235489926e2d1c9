import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

let service: EmbeddedService;
/** On a clock that stands still, so that all of a test is one minute. */
let limited: EmbeddedService;
before(async () => {
  service = await startEmbeddedService({
    port: 0,
    settings: { QUOTAS: JSON.stringify({ decisionsPerMinute: 2, tenants: { another: { openRuns: 1 } } }) },
  });
});
before(async () => {
  const nowEpochMs = Date.UTC(2026, 10, 30, 10, 0, 5);
  limited = await startEmbeddedService({
    port: 0,
    clock: { now: () => nowEpochMs },
    settings: { QUOTAS: JSON.stringify({ plansPerMinute: 2 }) },
  });
});
after(async () => {
  await service.stop();
  await limited.stop();
});

const plan = {
  decisions: [1, 2].map((n) => ({
    id: `d${n}`,
    toolCalls: [{ tool: "write_file", input: { path: `${n}.txt`, content: "x" } }],
  })),
};

test("over HTTP: a submission over the quota is a problem document with Retry-After, and the very plan when it is sent again", async () => {
  const submitted = async (planId: string): Promise<Response> =>
    fetch(`${service.url}/v1/plans/${planId}/execute`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.token}`, "content-type": "application/json" },
      body: JSON.stringify(plan),
    });
  assert.equal((await submitted("first")).status, 202);
  const answer = await submitted("second");
  // A minute that began in between has room for the second plan: then the third is the one over the quota.
  const refused = answer.status === 202 ? await submitted("third") : answer;
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get("content-type"), "application/problem+json");
  const retryAfter = Number(refused.headers.get("retry-after"));
  assert.ok(Number.isInteger(retryAfter) && retryAfter >= 1 && retryAfter <= 60);
  const { code, details } = z
    .object({ code: z.string(), details: z.object({ quota: z.string() }) })
    .parse(await refused.json());
  assert.deepEqual([code, details.quota], ["quota_exceeded", "decisionsPerMinute"]);

  // The client waits as long as it is told, on a clock of its own here.
  const waited: number[] = [];
  const client = planledgerClient({
    url: service.url,
    token: service.token,
    async delay(milliseconds) {
      waited.push(milliseconds);
    },
    random: () => 0,
  });
  const again = await client.executePlan({ planId: "first", plan });
  assert.equal(again.planId, "first");
  assert.deepEqual(waited, []);
});

test("a further run of a plan that has ended counts as a new plan does", async () => {
  const client = planledgerClient({ url: limited.url, token: limited.token, delay: async () => {} });
  const toolCalls = [{ tool: "edit_file", input: { path: "none", edits: [{ oldText: "a", newText: "b" }] } }];
  await client.executePlan({ planId: "again", plan: { decisions: [{ id: "a", toolCalls }] } });
  const ended = async () => {
    for (const giveUp = AbortSignal.timeout(30_000); ; giveUp.throwIfAborted()) {
      const { phase, run } = await client.planStatus({ planId: "again" });
      if (phase === "failed") return run;
    }
  };
  const resumed = async () =>
    fetch(`${limited.url}/v1/plans/again/resume`, {
      method: "POST",
      headers: { authorization: `Bearer ${limited.token}` },
    });
  assert.equal(await ended(), 1);
  assert.equal((await resumed()).status, 202);
  assert.equal(await ended(), 2);
  const refused = await resumed();
  const { code, details } = z
    .object({ code: z.string(), details: z.object({ quota: z.string() }) })
    .parse(await refused.json());
  assert.deepEqual([refused.status, code, details.quota], [429, "quota_exceeded", "plansPerMinute"]);
  assert.equal(await ended(), 2);
});
