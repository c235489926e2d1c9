import assert from "node:assert/strict";
import { Then } from "@cucumber/cucumber";
import type { ResourceKind } from "#lib/resource/resource-store.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { syncScene } from "./sync-steps.ts";

Then(
  "{int} is/are created and {int} is/are updated",
  function (this: PlanWorld, created: number, updated: number) {
    const summary = syncScene(this).lastSummary;
    assert.deepEqual([summary.created, summary.updated], [created, updated], JSON.stringify(summary));
  },
);

Then("{int} is/are skipped", function (this: PlanWorld, skipped: number) {
  assert.equal(syncScene(this).lastSummary.skipped, skipped);
});

Then("{int} is/are pulled", function (this: PlanWorld, pulled: number) {
  assert.equal(syncScene(this).lastSummary.pulled, pulled);
});

Then("{int} is/are deleted", function (this: PlanWorld, deleted: number) {
  assert.equal(syncScene(this).lastSummary.deleted, deleted);
});

Then("it was a dry run", function (this: PlanWorld) {
  assert.equal(syncScene(this).lastSummary.dryRun, true);
});

Then("it was no dry run", function (this: PlanWorld) {
  assert.equal(syncScene(this).lastSummary.dryRun, false);
});

Then("nothing was written on the service", function (this: PlanWorld) {
  assert.equal(syncScene(this).lastSummary.writes, 0);
});

Then("both sides are exactly as before", async function (this: PlanWorld) {
  await syncScene(this).assertAsBefore();
});

Then(
  "there is 1 error, about the item {string} and its field {string}",
  function (this: PlanWorld, item: string, field: string) {
    const { errors } = syncScene(this).lastSummary;
    const [error] = errors;
    assert.ok(error !== undefined && errors.length === 1, JSON.stringify(errors));
    assert.ok(error.item.includes(item), error.item);
    assert.equal(error.field, field);
    assert.ok(error.reason.includes(field), error.reason);
  },
);

Then(
  "there is 1 conflict, about the item {string}, that shows {names}",
  function (this: PlanWorld, item: string, words: readonly string[]) {
    const { conflicts } = syncScene(this).lastSummary;
    const [conflict] = conflicts;
    assert.ok(conflict !== undefined && conflicts.length === 1, JSON.stringify(conflicts));
    assert.equal(conflict.item, item);
    for (const word of words) assert.ok(conflict.reason.includes(word), conflict.reason);
  },
);

Then(
  "each of the local {kind} holds the id that the service gave it",
  async function (this: PlanWorld, kind: ResourceKind) {
    const scene = syncScene(this);
    const { entries } = await scene.driver.copy.local.read([kind]);
    assert.ok(entries.length > 0);
    for (const { id, serverId } of entries) {
      assert.equal(serverId, (await scene.itemThere({ kind, id })).row.serverId);
    }
  },
);

Then(
  "the service has the {kind} {string} under version {string}",
  async function (this: PlanWorld, kind: ResourceKind, id: string, version: string) {
    const { row, item } = await syncScene(this).itemThere({ kind, id });
    assert.deepEqual([row.version, item.version], [version, version]);
  },
);

Then(
  "the service has the {kind} {string} with the text {string}",
  async function (this: PlanWorld, kind: ResourceKind, id: string, text: string) {
    assert.equal((await syncScene(this).itemThere({ kind, id })).item.description, text);
  },
);

Then("the revision before it still has the text {string}", async function (this: PlanWorld, text: string) {
  const { driver } = syncScene(this);
  const key = { kind: "tools", id: "local/search" } as const;
  const { row } = await syncScene(this).itemThere(key);
  const earlier = await driver.revision({ ...key, revision: row.revision - 1 });
  assert.ok(typeof earlier === "object" && earlier !== null);
  assert.equal(Reflect.get(earlier, "description"), text);
});

Then("the service has no {kind} {string}", async function (this: PlanWorld, kind: ResourceKind, id: string) {
  const [found] = await syncScene(this).driver.transport.read([{ kind, id }]);
  assert.equal(found?.status, "gone");
});

Then(
  "the service has {int} revision(s) of the {kind} {string}",
  async function (this: PlanWorld, revisions: number, kind: ResourceKind, id: string) {
    assert.equal((await syncScene(this).itemThere({ kind, id })).row.revision, revisions);
  },
);

Then(
  "the local {kind} {string} has the text {string}",
  async function (this: PlanWorld, kind: ResourceKind, id: string, text: string) {
    const found = await syncScene(this).driver.copy.local.load({ kind, id });
    assert.equal(found?.item.description, text);
  },
);

Then(
  "a copy of the local tool {string} with the text {string} is kept",
  async function (this: PlanWorld, id: string, text: string) {
    const copies = await syncScene(this).driver.copy.kept();
    assert.deepEqual(
      copies.map((copy) => [copy.id, copy.description]),
      [[id, text]],
    );
  },
);

Then("the result has actions and no tools", function (this: PlanWorld) {
  const { result } = syncScene(this);
  assert.deepEqual(Object.keys(result?.byKind ?? {}), ["actions"]);
  assert.equal(result?.byKind.actions?.created, 1);
});
