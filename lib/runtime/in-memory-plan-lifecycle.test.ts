import assert from "node:assert/strict";
import { test } from "node:test";
import { inMemoryPlanLifecycle } from "./in-memory-plan-lifecycle.ts";
import { RuntimeExecuteResult } from "./runtime-execute-result.ts";

const lifecycleOfOne = () => inMemoryPlanLifecycle({ plans: [{ planId: "p", decisions: [{ id: "d1" }] }] });

const result = (changesetId: string) =>
  new RuntimeExecuteResult({
    changesetId,
    toolCallCount: 0,
    sandboxRefs: [],
    decisionIdsProcessed: ["d1"],
    executionDurationMs: 1,
  });

test("a late end of an earlier execution does not overwrite what stands (R34)", async () => {
  const lifecycle = lifecycleOfOne();
  const first = await lifecycle.begin("p");
  await lifecycle.finish("p", first.attempt, { kind: "broken", error: new Error("lost its store") });
  const second = await lifecycle.begin("p");
  const late = { kind: "completed", result: result("late") } as const;
  await assert.rejects(lifecycle.finish("p", first.attempt, late), { code: "phase_conflict" });
  const full = result("full");
  await lifecycle.finish("p", second.attempt, { kind: "completed", result: full });
  await assert.rejects(lifecycle.finish("p", second.attempt, late), { code: "phase_conflict" });
  assert.deepEqual(await lifecycle.state("p"), { phase: "completed", attempt: second.attempt, result: full });
});

test("an execution that broke keeps the result of the failed one before, to go on from", async () => {
  const lifecycle = lifecycleOfOne();
  const failed = result("failed");
  const first = await lifecycle.begin("p");
  await lifecycle.finish("p", first.attempt, { kind: "failed", result: failed });
  const second = await lifecycle.begin("p");
  assert.equal(second.previous, failed);
  await lifecycle.finish("p", second.attempt, { kind: "broken", error: new Error("lost its store") });
  assert.equal((await lifecycle.begin("p")).previous, failed);
});

test("a plain execution leaves a failed plan failed, with its result", async () => {
  const lifecycle = lifecycleOfOne();
  const failed = result("failed");
  await lifecycle.finish("p", (await lifecycle.begin("p")).attempt, { kind: "failed", result: failed });
  const before = await lifecycle.state("p");
  await lifecycle.finish("p", (await lifecycle.begin("p")).attempt, { kind: "not_run" });
  assert.deepEqual(await lifecycle.state("p"), before);
});

test("an unknown plan is not found, and has no state", async () => {
  const lifecycle = lifecycleOfOne();
  await assert.rejects(lifecycle.begin("q"), { code: "not_found" });
  assert.equal(await lifecycle.state("q"), undefined);
});
