import assert from "node:assert/strict";
import { Given, Then, When } from "@cucumber/cucumber";
import type { PlanWorld } from "../support/plan-world.ts";
import { syncScene } from "./sync-steps.ts";

/** Over HTTP a plan runs first. */
const slow = { timeout: 60_000 };

const states = { "can run": "not_submitted", running: "running", sealed: "sealed" } as const;

async function given(world: PlanWorld, name: string, state: keyof typeof states): Promise<void> {
  const scene = syncScene(world);
  scene.plan = await scene.driver.plan(name, states[state]);
}

Given("a plan {string} that the service can run", slow, function (this: PlanWorld, planId: string) {
  return given(this, planId, "can run");
});
Given("a plan {string} that is running", slow, function (this: PlanWorld, planId: string) {
  return given(this, planId, "running");
});
Given(
  "a plan {string} that has ended with a sealed changeset",
  slow,
  function (this: PlanWorld, planId: string) {
    return given(this, planId, "sealed");
  },
);

function plan(world: PlanWorld) {
  const { plan: known } = syncScene(world);
  assert.ok(known, "no plan was given");
  return known;
}

When("the sync client executes that plan", async function (this: PlanWorld) {
  const { planId, document } = plan(this);
  syncScene(this).executed = await syncScene(this).client.executePlan(planId, { plan: document });
});

When("the sync client applies that plan under its digest", async function (this: PlanWorld) {
  const { planId, digest } = plan(this);
  syncScene(this).executed = await syncScene(this).client.applyPlan(planId, { digest });
});

When("the sync client reads that plan's status by the service's id", async function (this: PlanWorld) {
  syncScene(this).status = await syncScene(this).client.getPlanStatus(plan(this).serverPlanId);
});

When(
  "somebody tries to execute the plan {string} as a sync client",
  async function (this: PlanWorld, id: string) {
    await this.expectRefusal(() => syncScene(this).client.executePlan(id));
  },
);

When(
  "somebody tries to apply the plan {string} under a digest",
  async function (this: PlanWorld, id: string) {
    await this.expectRefusal(() => syncScene(this).client.applyPlan(id, { digest: "d".repeat(64) }));
  },
);

When(
  "somebody tries to apply the plan {string} without digest",
  async function (this: PlanWorld, id: string) {
    const { client } = syncScene(this);
    await this.expectRefusal(() => Reflect.apply(client.applyPlan, client, [id, {}]));
  },
);

When("somebody tries to read the status of the plan {string}", async function (this: PlanWorld, id: string) {
  await this.expectRefusal(() => syncScene(this).client.getPlanStatus(id));
});

Then(
  "the execution result is of that plan, with the status {string}",
  function (this: PlanWorld, status: string) {
    const { executed } = syncScene(this);
    assert.deepEqual([executed?.planId, executed?.status], [plan(this).planId, status]);
    assert.match(executed?.serverPlanId ?? "", /^pln_/);
  },
);

Then("that status has the phase {string}", function (this: PlanWorld, phase: string) {
  const { status } = syncScene(this);
  assert.deepEqual([status?.phase, status?.planId], [phase, plan(this).planId]);
});

Then("no order about a plan was sent", function (this: PlanWorld) {
  assert.equal(syncScene(this).planOrders, 0);
});
