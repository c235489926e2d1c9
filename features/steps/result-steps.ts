import assert from "node:assert/strict";
import { type DataTable, Then, When } from "@cucumber/cucumber";
import { RuntimeExecuteResult } from "#lib/runtime/runtime-execute-result.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { constructUntyped } from "../support/untyped.ts";

const valid = {
  changesetId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  toolCallCount: 0,
  sandboxRefs: [],
  decisionIdsProcessed: [],
  executionDurationMs: 0,
};

When("a result is made of", function (this: PlanWorld, table: DataTable) {
  const fields = table.rowsHash();
  const list = (text: string | undefined) => (text ?? "").split(/, */);
  this.result = new RuntimeExecuteResult({
    changesetId: fields.changesetId ?? "",
    toolCallCount: Number(fields.toolCallCount),
    sandboxRefs: list(fields.sandboxRefs),
    decisionIdsProcessed: list(fields.decisionIdsProcessed),
    executionDurationMs: Number(fields.executionDurationMs),
  });
});

When(
  "somebody tries to make a result whose {word} is {anything}",
  async function (this: PlanWorld, field: string, value: unknown) {
    await this.expectRefusal(() => constructUntyped(RuntimeExecuteResult, { ...valid, [field]: value }));
  },
);

Then("the result's changesetId is {string}", function (this: PlanWorld, changesetId: string) {
  assert.equal(this.result.changesetId, changesetId);
});

Then("the result counts {int} tool calls", function (this: PlanWorld, count: number) {
  assert.equal(this.result.toolCallCount, count);
});

Then("the result's decisions are {names}", function (this: PlanWorld, ids: readonly string[]) {
  assert.deepEqual(this.result.decisionIdsProcessed, ids);
});
