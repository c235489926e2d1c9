import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

let service: EmbeddedService;
before(async () => {
  service = await startEmbeddedService({
    port: 0,
    settings: { QUOTAS: JSON.stringify({ decisionsPerMinute: 2, tenants: { another: { openRuns: 1 } } }) },
  });
});
after(() => service.stop());

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
