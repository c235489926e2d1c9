import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { After, Given, Then, When } from "@cucumber/cucumber";
import { phases as allPhases, type Phase } from "#lib/run/phase.ts";
import { collected } from "../support/collected.ts";
import { type Heard, type Listener, listen, verifies } from "../support/listener.ts";
import type { PlanWorld } from "../support/plan-world.ts";

interface Listening {
  readonly listener: Listener;
  readonly name: string;
  readonly secret: string;
}
const listening = new WeakMap<PlanWorld, Listening>();

const of = (world: PlanWorld): Listening => {
  const found = listening.get(world);
  assert.ok(found, "nobody listens");
  return found;
};

After({ tags: "@listener" }, async function (this: PlanWorld) {
  const found = listening.get(this);
  if (found === undefined) return;
  await this.http.client.webhooks.delete(found.name);
  await found.listener.close();
});

Given("a listener that is told of every phase", function (this: PlanWorld) {
  return beginListening(this, allPhases);
});
Given("a listener that is told of: {names}", function (this: PlanWorld, names: readonly string[]) {
  return beginListening(
    this,
    allPhases.filter((phase) => names.includes(phase)),
  );
});
async function beginListening(world: PlanWorld, phases: readonly Phase[]): Promise<void> {
  const listener = await listen();
  const name = world.planId;
  const { signingSecret = "" } = await world.http.client.webhooks.put(name, {
    url: listener.url,
    phases: [...phases],
  });
  listening.set(world, { listener, name, secret: signingSecret });
}

Given("the listener answers that it is gone", function (this: PlanWorld) {
  of(this).listener.status = 410;
});

async function until<T>(what: string, read: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const giveUp = AbortSignal.timeout(100_000);
  for (;;) {
    const found = await read();
    if (found !== undefined) return found;
    if (giveUp.aborted) throw new Error(`it never came that ${what}`);
    await delay(5);
  }
}

const heard = (world: PlanWorld): readonly Heard[] => of(world).listener.heard(world.planId);

Then(
  "the listener is told, in this order: {names}",
  async function (this: PlanWorld, names: readonly string[]) {
    const told = await until(`${names.length} messages came`, () => {
      const found = heard(this);
      return found.length >= names.length ? found : undefined;
    });
    assert.deepEqual(
      told.map(({ data }) => data.phase),
      names,
    );
  },
);

Then(
  "the last message bears the digest of the changeset, and counts {int} landed and {int} failed",
  async function (this: PlanWorld, landed: number, failed: number) {
    const last = heard(this).at(-1)?.data;
    assert.equal(last?.digest, (await this.http.status()).digest);
    assert.deepEqual([last?.counts.landed, last?.counts.failed], [landed, failed]);
  },
);

Then(
  "every message verifies under the secret of the listener, and under no other",
  function (this: PlanWorld) {
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    for (const message of heard(this)) {
      assert.ok(verifies(message, of(this).secret));
      assert.ok(!verifies(message, other));
    }
  },
);

Then("no message holds {string} or {string}", function (this: PlanWorld, one: string, other: string) {
  for (const { body } of heard(this)) assert.ok(!body.includes(one) && !body.includes(other), body);
});

When(
  "its decision {string} is corrected to write {string}, and it is resumed",
  async function (this: PlanWorld, decisionId: string, path: string) {
    await this.http.resume({ [decisionId]: [{ tool: "write_file", input: { path, content: "x" } }] });
  },
);

Then("the messages are of the runs {names}", function (this: PlanWorld, runs: readonly string[]) {
  assert.deepEqual(
    heard(this).map(({ data }) => String(data.run)),
    runs,
  );
});

Then("the messages bear the numbers {names}", function (this: PlanWorld, numbers: readonly string[]) {
  assert.deepEqual(
    heard(this).map(({ data }) => String(data.sequence)),
    numbers,
  );
});

Then("the webhook is disabled, since {string}", async function (this: PlanWorld, reason: string) {
  const webhook = await until("the webhook is disabled", async () => {
    const found = await this.http.client.webhooks.get(of(this).name);
    return found.state === "disabled" ? found : undefined;
  });
  assert.ok(webhook.reason?.startsWith(reason), webhook.reason);
});

Then("its delivery was given up after {int} attempt(s)", async function (this: PlanWorld, count: number) {
  const [delivery] = await collected(this.http.client.webhooks.deliveries(of(this).name));
  assert.deepEqual([delivery?.state, delivery?.attempts.length], ["given_up", count]);
});

When("somebody tries to be told at {string}", async function (this: PlanWorld, url: string) {
  await this.expectRefusal(() => this.http.client.webhooks.put(this.planId, { url }));
});
