import assert from "node:assert/strict";
import { type DataTable, Given, Then, When } from "@cucumber/cucumber";
import { isValid } from "ulid";
import type { ChangeSet } from "#lib/changeset/change-set.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { sampleEntry } from "../support/sample-entry.ts";

const looked = new WeakMap<PlanWorld, { readonly changeset: ChangeSet | undefined }>();

When("a changeset is started", startChangeset);
Given("an active changeset", startChangeset);
Given("a second active changeset", startChangeset);
async function startChangeset(this: PlanWorld): Promise<void> {
  this.startedChangesets.push(await this.context.startChangeset());
}

When("a change of {string} is recorded", async function (this: PlanWorld, path: string) {
  await this.context.recordChange(sampleEntry(path));
});

When("changes of {names} are recorded", async function (this: PlanWorld, paths: readonly string[]) {
  for (const [index, path] of paths.entries()) {
    await this.context.recordChange(sampleEntry(path, `d${index}`));
  }
});

When("a change of {string} is recorded into the first", async function (this: PlanWorld, path: string) {
  await this.context.recordChange(sampleEntry(path), { changesetId: this.changesetId(0) });
});

When("somebody tries to record a change of {string}", async function (this: PlanWorld, path: string) {
  await this.expectRefusal(() => this.context.recordChange(sampleEntry(path)));
});

When("the changeset {string} is read", async function (this: PlanWorld, changesetId: string) {
  looked.set(this, { changeset: await this.context.getChangeset(changesetId) });
});

Then("there is none, and no error", function (this: PlanWorld) {
  assert.deepEqual(looked.get(this), { changeset: undefined });
});

Then("its id is a ULID", function (this: PlanWorld) {
  assert.ok(isValid(this.changesetId()), this.changesetId());
});

Then("the active changesets include it", function (this: PlanWorld) {
  assert.ok(this.context.activeChangesetIds.includes(this.changesetId()));
});

Then("the changeset holds exactly {names}", async function (this: PlanWorld, paths: readonly string[]) {
  await assertHolds(this, this.changesetId(), paths);
});

Then("the first changeset holds exactly {names}", async function (this: PlanWorld, paths: readonly string[]) {
  await assertHolds(this, this.changesetId(0), paths);
});

Then(
  "the second changeset holds exactly {names}",
  async function (this: PlanWorld, paths: readonly string[]) {
    await assertHolds(this, this.changesetId(1), paths);
  },
);

async function assertHolds(world: PlanWorld, changesetId: string, paths: readonly string[]): Promise<void> {
  const changeset = await world.context.getChangeset(changesetId);
  assert.deepEqual(
    changeset?.entries.map((entry) => ({ path: entry.path, after: entry.after })),
    paths.map((path) => ({ path, after: sampleEntry(path).after })),
  );
}

Then(
  "the changeset can be read and belongs to plan {string}",
  async function (this: PlanWorld, planId: string) {
    const changeset = await this.context.getChangeset(this.changesetId());
    assert.equal(changeset?.planId, planId);
    assert.equal(changeset.changesetId, this.changesetId());
  },
);

Then("the summary says", async function (this: PlanWorld, table: DataTable) {
  const summary = new Map(Object.entries(await this.context.summarize()));
  for (const [field, value] of Object.entries(table.rowsHash())) {
    assert.equal(String(summary.get(field)), value, field);
  }
});
