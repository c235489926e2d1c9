import assert from "node:assert/strict";
import { Given, Then, When } from "@cucumber/cucumber";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import { type PlanExecuteResult, PlanExecutor } from "#lib/runtime/plan-executor.ts";
import { ExecutorScene, flaky, write } from "../support/executor-scene.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { constructUntyped } from "../support/untyped.ts";

const scenes = new WeakMap<PlanWorld, ExecutorScene>();
const outcomes = new WeakMap<PlanWorld, readonly PromiseSettledResult<PlanExecuteResult>[]>();

function scene(world: PlanWorld): ExecutorScene {
  const known = scenes.get(world) ?? new ExecutorScene();
  scenes.set(world, known);
  return known;
}

Given("a plan whose decision writes {string}", function (this: PlanWorld, path: string) {
  scene(this).decisions = [write("d1", path)];
});

Given(
  "a plan with a decision that writes {string} and one whose tool fails the first time",
  function (this: PlanWorld, path: string) {
    scene(this).decisions = [write("d1", path), flaky("d2")];
  },
);

Given("an executor without a context", function (this: PlanWorld) {
  scene(this).withoutContext();
});

Given("an executor with a context", function (this: PlanWorld) {
  scene(this).withContext();
});

Given("an executor with a context and a tool-calling runtime", function (this: PlanWorld) {
  scene(this).withRuntime();
});

When("the executor runs the plan", execute);
Given("the executor has run the plan", execute);
async function execute(this: PlanWorld): Promise<void> {
  const { executor, executions, planId } = scene(this);
  executions.push(await executor.runExecute(planId));
}

When("the plan is executed twice at the same time", async function (this: PlanWorld) {
  const { executor, planId } = scene(this);
  outcomes.set(this, await Promise.allSettled([executor.runExecute(planId), executor.runExecute(planId)]));
});

When("somebody tries to execute it again", async function (this: PlanWorld) {
  await this.expectRefusal(() => scene(this).executor.runExecute(scene(this).planId));
});

When("somebody tries to execute the plan {string}", async function (this: PlanWorld, planId: string) {
  await this.expectRefusal(() => scene(this).executor.runExecute(planId));
});

When("somebody tries to make an executor without a lifecycle", async function (this: PlanWorld) {
  await this.expectRefusal(() => constructUntyped(PlanExecutor, {}));
});

Then("the executor has a runtime", function (this: PlanWorld) {
  assert.equal(scene(this).executor.hasRuntime, true);
});

Then("the executor has no runtime", function (this: PlanWorld) {
  assert.equal(scene(this).executor.hasRuntime, false);
});

Then(
  "the execution went through the runtime, and {string} was written",
  async function (this: PlanWorld, path: string) {
    const { context, lastExecution, lastResult } = scene(this);
    assert.equal(lastExecution.toolsRun, true);
    assert.equal(lastResult.toolCallCount, 1);
    const changeset = await context.getChangeset(lastResult.changesetId);
    assert.deepEqual(
      changeset?.entries.map((entry) => `${entry.kind} ${entry.path}`),
      [`create ${path}`],
    );
  },
);

Then("the execution took the plain path and says that no tool was run", function (this: PlanWorld) {
  const { lastExecution } = scene(this);
  assert.equal(lastExecution.path, "plain");
  assert.equal(lastExecution.toolsRun, false);
  assert.match(lastExecution.message, /[Nn]o tool was run/);
});

Then("the plan still waits to be executed", async function (this: PlanWorld) {
  const { lifecycle, planId } = scene(this);
  assert.deepEqual(await lifecycle.state(planId), { phase: "submitted" });
});

Then("its context is that very context", function (this: PlanWorld) {
  assert.equal(scene(this).executor.executionContext, scene(this).context);
});

Then("its changeset store is that of the context, the same object", function (this: PlanWorld) {
  assert.equal(scene(this).executor.changesetStore, scene(this).context.changesetStore);
});

Then("it has no changeset store", function (this: PlanWorld) {
  assert.equal(scene(this).executor.changesetStore, undefined);
});

Then(
  "one execution ran, and the other got a ConflictError with the code {string}",
  function (this: PlanWorld, code: string) {
    const { executions } = scene(this);
    const refusals: unknown[] = [];
    for (const outcome of outcomes.get(this) ?? []) {
      if (outcome.status === "rejected") {
        refusals.push(outcome.reason);
      } else {
        executions.push(outcome.value);
      }
    }
    assert.equal(executions.length, 1);
    const [refusal] = refusals;
    assert.ok(refusal instanceof ConflictError, String(refusal));
    assert.equal(refusal.code, code);
  },
);

Then("the plan's recorded result is that of the one that ran", async function (this: PlanWorld) {
  const { context, lastResult, lifecycle, planId } = scene(this);
  const state = await lifecycle.state(planId);
  assert.ok(state?.phase === "completed");
  assert.equal(state.result, lastResult);
  const changeset = await context.getChangeset(lastResult.changesetId);
  assert.equal(changeset?.entries.length, 1, "the output of the execution that ran");
});

Then("the execution ended as {string}", function (this: PlanWorld, phase: string) {
  assert.equal(scene(this).lastResult.phase, phase);
});

Then("only the decision that had failed was processed", function (this: PlanWorld) {
  assert.deepEqual(scene(this).lastResult.decisionIdsProcessed, ["d2"]);
});

Then("its digest is that of an execution in which nothing failed", async function (this: PlanWorld) {
  assert.equal(scene(this).lastResult.digest, await scene(this).undisturbedDigest());
});
