import assert from "node:assert/strict";
import { type DataTable, Then, When } from "@cucumber/cucumber";
import { ExecutionResult } from "#lib/sync/execution-result.ts";
import { PlanSyncClient } from "#lib/sync/plan-sync-client.ts";
import { SyncScope } from "#lib/sync/sync-scope.ts";
import { SyncSummary } from "#lib/sync/sync-summary.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { constructUntyped } from "../support/untyped.ts";
import { syncScene } from "./sync-steps.ts";

const flagsOf = (names: string) => Object.fromEntries(names.split(/, */).map((name) => [name, true]));

When("a sync scope is made with the flags {string}", function (this: PlanWorld, names: string) {
  syncScene(this).scope = new SyncScope(flagsOf(names));
});

When(
  "somebody tries to make a sync scope with the flags {string}",
  async function (this: PlanWorld, names: string) {
    await this.expectRefusal(() => constructUntyped(SyncScope, flagsOf(names)));
  },
);

Then("its active kinds are {names}", function (this: PlanWorld, kinds: readonly string[]) {
  assert.deepEqual(syncScene(this).scope.activeKinds, kinds);
});

When("a sync summary is made of", function (this: PlanWorld, table: DataTable) {
  const fields = table.rowsHash();
  const problem = { item: "local/a", reason: "version is missing" };
  syncScene(this).summary = new SyncSummary({
    created: Number(fields.created),
    updated: Number(fields.updated),
    skipped: Number(fields.skipped),
    errors: Array.from({ length: Number(fields.errors) }, () => problem),
  });
});

Then("it has processed {int} items in total", function (this: PlanWorld, total: number) {
  assert.equal(syncScene(this).lastSummary.totalProcessed, total);
});

When("an execution result is made of", function (this: PlanWorld, table: DataTable) {
  const { planId = "", serverPlanId = "", status = "", message = "" } = table.rowsHash();
  syncScene(this).executed = new ExecutionResult({ planId, serverPlanId, status, message });
});

Then("the execution result has", function (this: PlanWorld, table: DataTable) {
  assert.deepEqual({ ...syncScene(this).executed }, table.rowsHash());
});

When(
  "somebody tries to make a sync client with the conflict policy {string}",
  async function (this: PlanWorld, conflictPolicy: string) {
    const { transport } = syncScene(this).driver;
    await this.expectRefusal(() => constructUntyped(PlanSyncClient, { transport, conflictPolicy }));
  },
);

When("somebody tries to sync the items of the kind {string}", async function (this: PlanWorld, kind: string) {
  const { client } = syncScene(this);
  await this.expectRefusal(() => Reflect.apply(client.syncItems, client, [kind, []]));
});
