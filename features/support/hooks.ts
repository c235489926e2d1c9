import assert from "node:assert/strict";
import { After, type ITestCaseHookParameter, Status } from "@cucumber/cucumber";
import type { PlanWorld } from "./plan-world.ts";

After(async function (this: PlanWorld, { result }: ITestCaseHookParameter) {
  await this.close();
  assert.notEqual(result?.status, Status.SKIPPED, "a scenario that is skipped proves nothing");
  if (result?.status === Status.PASSED) {
    this.assertNothingUnseen();
  }
});
