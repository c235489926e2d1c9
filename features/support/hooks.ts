import { After } from "@cucumber/cucumber";
import type { PlanWorld } from "./plan-world.ts";

After(function (this: PlanWorld) {
  this.assertNothingUnseen();
});
