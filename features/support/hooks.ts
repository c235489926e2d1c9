import { After } from "@cucumber/cucumber";
import type { PlanWorld } from "./plan-world.ts";

After(async function (this: PlanWorld) {
  await this.close();
  this.assertNothingUnseen();
});
