import assert from "node:assert/strict";
import { test } from "node:test";
import { ValidationError } from "../errors/planledger-error.ts";
import { inMemoryPlanLifecycle } from "./in-memory-plan-lifecycle.ts";
import { PlanExecutionContext } from "./plan-execution-context.ts";
import { PlanExecutor, type ToolCallingRuntime } from "./plan-executor.ts";
import { RuntimeExecuteResult } from "./runtime-execute-result.ts";

const context = new PlanExecutionContext({ planId: "p" });
const lifecycleOfOne = () => inMemoryPlanLifecycle({ plans: [{ planId: "p", decisions: [{ id: "d1" }] }] });

const result = new RuntimeExecuteResult({
  changesetId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  toolCallCount: 0,
  sandboxRefs: [],
  decisionIdsProcessed: ["d1"],
  executionDurationMs: 1,
});

test("a runtime that breaks rejects, and the plan can be executed again (R34)", async () => {
  let isBroken = true;
  const runtime: ToolCallingRuntime = {
    context,
    async execute() {
      if (isBroken) {
        throw new Error("the store is down");
      }
      return result;
    },
  };
  const lifecycle = lifecycleOfOne();
  const executor = new PlanExecutor({ lifecycle, context, runtime });
  await assert.rejects(executor.runExecute("p"), /the store is down/);
  assert.equal((await lifecycle.state("p"))?.phase, "failed");
  isBroken = false;
  const executed = await executor.runExecute("p");
  assert.ok(executed.path === "runtime");
  assert.equal(executed.result, result);
  assert.deepEqual(await lifecycle.state("p"), { phase: "completed", attempt: executed.attempt, result });
});

test("an end that cannot be recorded does not hide why the run broke", async () => {
  const lifecycle = {
    ...lifecycleOfOne(),
    finish: async () => Promise.reject(new Error("the lifecycle is down too")),
  };
  const runtime = { context, execute: async () => Promise.reject(new Error("the store is down")) };
  const executor = new PlanExecutor({ lifecycle, context, runtime });
  await assert.rejects(executor.runExecute("p"), (error) => {
    assert.ok(error instanceof AggregateError);
    assert.deepEqual(error.errors.map(String), [
      "Error: the store is down",
      "Error: the lifecycle is down too",
    ]);
    return true;
  });
});

test("a plan is only executed in its own context, and a runtime only with its own", async () => {
  const lifecycle = lifecycleOfOne();
  const other = new PlanExecutionContext({ planId: "other" });
  const executor = new PlanExecutor({ lifecycle, context: other });
  await assert.rejects(
    executor.runExecute("p"),
    (error) => error instanceof ValidationError && error.field === "planId",
  );
  assert.deepEqual(await lifecycle.state("p"), { phase: "submitted" });
  const runtime: ToolCallingRuntime = { context, execute: async () => result };
  for (const given of [{ context: other }, {}]) {
    assert.throws(
      () => new PlanExecutor({ lifecycle, runtime, ...given }),
      (error) => error instanceof ValidationError && error.field === "context",
    );
  }
});
