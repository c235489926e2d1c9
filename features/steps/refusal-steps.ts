import assert from "node:assert/strict";
import { Then } from "@cucumber/cucumber";
import { ConflictError, PlanError, ValidationError } from "#lib/errors/planledger-error.ts";
import type { PlanWorld } from "../support/plan-world.ts";

Then("a ValidationError names {string}", function (this: PlanWorld, field: string) {
  const refusal = this.refusal();
  assert.ok(refusal instanceof ValidationError, `${refusal.name}: ${refusal.message}`);
  assert.equal(refusal.field, field);
  assert.ok(refusal.message.includes(field), refusal.message);
});

Then("a PlanError with code {string} says {string}", function (this: PlanWorld, code: string, words: string) {
  const refusal = this.refusal();
  assert.ok(refusal instanceof PlanError, refusal.name);
  assert.equal(refusal.code, code);
  assert.ok(refusal.message.includes(words), refusal.message);
});

Then("a ConflictError has the code {string}", function (this: PlanWorld, code: string) {
  const refusal = this.refusal();
  assert.ok(refusal instanceof ConflictError, `${refusal.name}: ${refusal.message}`);
  assert.equal(refusal.code, code);
});

Then("its message lists {names}", function (this: PlanWorld, words: readonly string[]) {
  const { message } = this.refusal();
  for (const word of words) {
    assert.ok(message.includes(word), `"${word}" is not in: ${message}`);
  }
});
