import assert from "node:assert/strict";
import { type DataTable, Given, Then, When } from "@cucumber/cucumber";
import { InMemoryChangeSetStore } from "#lib/changeset/in-memory-change-set-store.ts";
import { PlanExecutionContext } from "#lib/runtime/plan-execution-context.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { constructUntyped } from "../support/untyped.ts";

Given("a changeset store of the caller's", function (this: PlanWorld) {
  this.callersStore = new InMemoryChangeSetStore();
});

When("a context is made for plan {string}", makeContext);
Given("a context for plan {string}", makeContext);
function makeContext(this: PlanWorld, planId: string): void {
  this.context = new PlanExecutionContext({ planId });
}

Given(
  "a context for plan {string} under decision root {string}",
  function (this: PlanWorld, planId: string, decisionRootId: string) {
    this.context = new PlanExecutionContext({ planId, decisionRootId });
  },
);

When("a context is made with", function (this: PlanWorld, table: DataTable) {
  const made = constructUntyped(PlanExecutionContext, table.rowsHash());
  assert.ok(made instanceof PlanExecutionContext);
  this.context = made;
});

When("a context is made with that store", function (this: PlanWorld) {
  this.context = new PlanExecutionContext({ planId: "rename-config", changesetStore: this.callersStore });
});

When(
  "somebody tries to make a context whose {word} is {anything}",
  async function (this: PlanWorld, field: string, value: unknown) {
    await this.expectRefusal(() =>
      constructUntyped(PlanExecutionContext, { planId: "rename-config", [field]: value }),
    );
  },
);

Then(
  /^its (planId|decisionRootId|sandboxRoot|automationProfile) is "(.*)"$/,
  function (
    this: PlanWorld,
    field: "planId" | "decisionRootId" | "sandboxRoot" | "automationProfile",
    value: string,
  ) {
    assert.equal(this.context[field], value);
  },
);

Then("its changesetStore is an InMemoryChangeSetStore", function (this: PlanWorld) {
  assert.ok(this.context.changesetStore instanceof InMemoryChangeSetStore);
});

Then("its changesetStore is that very object", function (this: PlanWorld) {
  assert.equal(this.context.changesetStore, this.callersStore);
});

Then(
  /^its (projectResources|resourceBindings) is an empty record$/,
  function (this: PlanWorld, field: "projectResources" | "resourceBindings") {
    assert.deepEqual(this.context[field], {});
  },
);
