import { When } from "@cucumber/cucumber";
import { applyOutcome, clientAs, derivedChangeset, sealedDigest } from "../support/apply-scene.ts";
import type { PlanWorld } from "../support/plan-world.ts";

When("{word} approves its digest", async function (this: PlanWorld, principal: string) {
  const digest = await sealedDigest(this);
  await (await clientAs(this, principal)).approve({ planId: this.planId, digest });
});

When("{word} approves the derived digest", async function (this: PlanWorld, principal: string) {
  const { digest } = derivedChangeset(this);
  await (await clientAs(this, principal)).approve({ planId: this.planId, digest });
});

When("{word} rejects its digest", async function (this: PlanWorld, principal: string) {
  const digest = await sealedDigest(this);
  await (await clientAs(this, principal)).reject({ planId: this.planId, digest });
});

When("who submitted it tries to approve its digest with another token", async function (this: PlanWorld) {
  const digest = await sealedDigest(this);
  const self = await clientAs(this, undefined);
  await this.expectRefusal(() => self.approve({ planId: this.planId, digest }));
});

When("what follows by itself has followed", async function (this: PlanWorld) {
  await this.http.waitUntil(({ lastApply }) => lastApply !== undefined);
  await applyOutcome(this);
});
