import assert from "node:assert/strict";
import { After, type ITestCaseHookParameter, Status, setDefaultTimeout } from "@cucumber/cucumber";
import type { PlanWorld } from "./plan-world.ts";

/** Steps wait on conditions; this only ends a step whose condition never comes, on a machine however busy. */
setDefaultTimeout(120_000);

After(async function (this: PlanWorld, { result }: ITestCaseHookParameter) {
  await this.close();
  assert.notEqual(result?.status, Status.SKIPPED, "a scenario that is skipped proves nothing");
  if (result?.status === Status.PASSED) {
    this.assertNothingUnseen();
  }
});
