import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { firstToken } from "#infra/deploy/first-token.ts";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { ledgerExport } from "#lib/ledger/ledger-export.ts";
import { verifyLedger } from "#lib/ledger/verify-ledger.ts";
import { send } from "./deployed-queues.testkit.ts";
import {
  deployment,
  environment,
  eventually,
  newPlanId,
  planOf,
  saveWithoutHint,
  service,
  stores,
} from "./deployed-service.testkit.ts";

const client = planledgerClient(deployment);
async function collected<T>(pieces: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}
const statusOf = async (planId: string) => (await service.send(`/v1/plans/${planId}`)).status;

// Side by side, since two of them wait for the next minute.
suite("what is deployed, from the gateway to the table", { concurrency: true }, () => {
  test("a plan goes by HTTP, function, queue and worker into the table, and its ledger verifies under the deploy's own key", async () => {
    const planId = newPlanId();
    await client.executePlan({ planId, plan: planOf(3) });
    const status = await service.ended(planId);
    assert.deepEqual([status.phase, status.counts.landed], ["completed", 3]);
    const frontier = await stores.frontiers.latest({ tenant: "local", planId });
    assert.deepEqual([frontier?.state.phase, frontier?.position], ["completed", 3]);
    const [key] = await client.signingKeys();
    assert.ok(key);
    const lines = await collected(ledgerExport(client.ledger({ planId })));
    const ledger = lines.map((line) => Buffer.from(line));
    const verified = await verifyLedger({ ledger, publicKey: key.publicKeyPem });
    assert.ok(verified.ok, JSON.stringify(verified));
    assert.equal(verified.keyId, key.keyId);
  });

  test("the gateway's authorizer: no token, a wrong one, one of another tenant, one with too little scope", async () => {
    const planId = newPlanId();
    await client.executePlan({ planId, plan: planOf(1) });
    const path = `/v1/plans/${planId}`;
    assert.equal((await service.send(path)).status, 200);
    assert.equal((await service.send(path, { token: null })).status, 401);
    const unknown = deployment.token.replace(/.{8}$/, "AAAAAAAA");
    for (const token of [unknown, "plt_of_nobody"]) {
      const refused = await service.send(path, { token });
      assert.equal(refused.status, 401);
      assert.match(refused.text, /"code":"unauthenticated"/);
    }
    const other = await firstToken(
      { environment, tableName: deployment.tableName },
      { tenant: "other", principal: "eve" },
    );
    assert.equal((await service.send("/v1/plans", { token: other })).status, 200);
    const foreign = await service.send(path, { token: other });
    assert.equal(foreign.status, 404);
    assert.ok(!foreign.text.includes(JSON.stringify(deployment.token)));
    const { token: reader } = await client.tokens.create({ scopes: ["plans:read"] });
    assert.equal((await service.send(path, { token: reader })).status, 200);
    const tried = await service.sendJson(`${path}/cancel`, {}, { token: reader });
    assert.deepEqual([tried.status, /"code":"forbidden"/.test(tried.text)], [403, true]);
  });

  test("the reconciler's schedule fires: a plan that was saved and never enqueued completes", async () => {
    const planId = newPlanId();
    // Its hint is overdue, so that the next time of the schedule counts.
    await saveWithoutHint(planId, 10 * 60_000);
    assert.equal((await service.ended(planId)).phase, "completed");
  });

  test("a plan schedule fires: the plan of its action runs at the next minute, under the principal who made it", async () => {
    const name = newPlanId();
    const document = {
      id: `local/${name}`,
      name,
      version: "1.0",
      plan: {
        decisions: [
          { id: "write", toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "a" } }] },
        ],
      },
    };
    const saved = await service.sendJson(`/v1/actions/local/${name}`, document, { method: "PUT" });
    assert.equal(saved.status, 201, saved.text);
    const path = `/v1/schedules/${name}`;
    const made = await service.sendJson(
      path,
      { cron: "* * * * *", action: `local/${name}` },
      { method: "PUT" },
    );
    assert.equal(made.status, 201, made.text);
    const planId = await eventually("the schedule submitted a plan", async () => {
      const { lastRun } = Object((await service.send(path)).json());
      if (lastRun === undefined) return undefined;
      assert.equal(lastRun.outcome, "submitted", JSON.stringify(lastRun));
      return String(lastRun.planId);
    });
    assert.equal((await service.send(path, { method: "DELETE" })).status, 204);
    assert.equal((await service.ended(planId)).phase, "completed");
  });

  test("the submissions queue takes the document of the HTTP route, once however often it is sent", async () => {
    const planId = newPlanId();
    const message = JSON.stringify({ v: 1, planId, plan: planOf(2) });
    await send("submissions", [message, message]);
    await eventually(`${planId} was taken`, async () =>
      (await statusOf(planId)) === 200 ? true : undefined,
    );
    const status = await service.ended(planId);
    assert.deepEqual([status.phase, status.run, status.counts.landed], ["completed", 1, 2]);
  });
});
