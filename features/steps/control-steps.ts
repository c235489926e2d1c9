import assert from "node:assert/strict";
import { Given, Then, When } from "@cucumber/cucumber";
import type { PlanStatusReply } from "#lib/api/plan-replies.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import { collected } from "../support/collected.ts";
import { planOfWrites } from "../support/plan-text.ts";
import type { PlanWorld } from "../support/plan-world.ts";

const isUnderWay = ({ counts }: PlanStatusReply) => counts.landed > 0 && counts.pending > 0;

Given("a plan of {int} decisions, each writing a file, has begun", beginPlan);
async function beginPlan(this: PlanWorld, count: number): Promise<void> {
  await begin(this, count);
}

async function begin(world: PlanWorld, count: number): Promise<void> {
  world.document = planOfWrites(count);
  await world.http.submit({ planId: world.planId, document: world.document });
  await world.http.waitUntil(({ counts }) => counts.landed > 0);
}

/** Largest plan that is submitted inline. */
const mostDecisions = 6_000;

/** Orders something of the plan under way. Where the service was faster and the plan has ended, of one twice as long. */
async function whileUnderWay(world: PlanWorld, order: () => Promise<unknown>): Promise<void> {
  try {
    await order();
  } catch (error) {
    const { counts } = await world.http.status();
    const isTooLate = error instanceof ConflictError && error.code === "phase_conflict";
    if (!isTooLate || counts.total * 2 > mostDecisions) throw error;
    world.planId = `${world.planId}-longer`;
    await begin(world, counts.total * 2);
    await whileUnderWay(world, order);
  }
}

Given(
  "a plan of {int} decisions, each writing a file, was executed",
  async function (this: PlanWorld, count: number) {
    await this.http.execute({ planId: this.planId, document: planOfWrites(count) });
  },
);

When("it is paused while some decisions are final and others are not", async function (this: PlanWorld) {
  await whileUnderWay(this, () => this.http.client.pause({ planId: this.planId }));
  const status = await this.http.waitUntil(({ phase }) => phase === "paused");
  assert.ok(isUnderWay(status), JSON.stringify(status.counts));
});

When("it is cancelled while some decisions are final and others are not", async function (this: PlanWorld) {
  await whileUnderWay(this, () => this.http.client.cancel({ planId: this.planId }));
  const status = await this.http.waitUntil(({ phase }) => phase === "cancelled");
  assert.ok(status.counts.landed > 0, JSON.stringify(status.counts));
  assert.ok(status.counts.landed < status.counts.total, JSON.stringify(status.counts));
});

Then("all of its decisions have landed", async function (this: PlanWorld) {
  const { counts } = await this.http.status();
  assert.deepEqual(counts, { ...counts, landed: counts.total, failed: 0, skipped: 0, pending: 0 });
});

When("it is resumed", async function (this: PlanWorld) {
  await this.http.resume();
});

Then("nothing becomes final while it is paused", assertStandsStill);
Then("nothing becomes final any more", assertStandsStill);
/** Looked at again and again for as long as the rest of the plan would have taken many times over. */
async function assertStandsStill(this: PlanWorld): Promise<void> {
  const first = await this.http.status();
  const events = (await collected(this.http.client.events({ planId: this.planId }))).length;
  for (let look = 0; look < 50; look += 1) {
    const { phase, counts } = await this.http.status();
    assert.deepEqual({ phase, counts }, { phase: first.phase, counts: first.counts });
  }
  assert.equal((await collected(this.http.client.events({ planId: this.planId }))).length, events);
}

Then("the events have no gap", assertNoGap);
Then("the events have no gap, over both runs", assertNoGap);
async function assertNoGap(this: PlanWorld): Promise<void> {
  const { events, run } = await this.driver.report();
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const ends = events.filter(({ type }) => type === "runtime_execute_complete");
  assert.equal(ends.length, run);
  const landings = events.filter(({ type }) => type === "runtime_execute_step");
  const landed = new Set(landings.map(({ decisionId }) => decisionId));
  assert.equal(landed.size, landings.length, "a decision landed twice");
}

Then("the events tell of one pause and one resumption", async function (this: PlanWorld) {
  const { events } = await this.driver.report();
  const moves = events
    .map(({ type }) => type)
    .filter((type) => type === "runtime_execute_paused" || type === "runtime_execute_resumed");
  assert.deepEqual(moves, ["runtime_execute_paused", "runtime_execute_resumed"]);
});

Then(
  "the status counts {int} landed, {int} failed, {int} skipped and {int} pending",
  async function (this: PlanWorld, landed: number, failed: number, skipped: number, pending: number) {
    const { counts } = await this.http.status();
    const total = landed + failed + skipped + pending;
    assert.deepEqual(counts, { total, landed, failed, skipped, pending });
  },
);

Then(
  "its changeset is sealed and holds an entry for every decision that landed",
  async function (this: PlanWorld) {
    const pages = await collected(this.http.client.changeset({ planId: this.planId }));
    const { counts, digest } = await this.http.status();
    for (const page of pages) {
      assert.deepEqual({ state: page.state, digest: page.digest }, { state: "sealed", digest });
    }
    assert.equal(pages.flatMap(({ entries }) => entries).length, counts.landed);
  },
);

Then("the diff shows every file that landed", async function (this: PlanWorld) {
  const diff = Buffer.from(await this.driver.diff()).toString();
  const { counts } = await this.http.status();
  assert.equal(diff.match(/^\+file \d+$/gm)?.length, counts.landed);
});

Then(
  "reading its decisions page by page gives all {int}, in plan order",
  async function (this: PlanWorld, count: number) {
    const found = await collected(this.http.client.decisions({ planId: this.planId, limit: 100 }));
    assert.deepEqual(
      found.map(({ ordinal }) => ordinal),
      Array.from({ length: count }, (_, index) => index),
    );
  },
);
