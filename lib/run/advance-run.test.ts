import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceRun } from "./advance-run.ts";
import { isSigned, key, memoryWorld } from "./run-plan.testkit.ts";
import { hintOf } from "./watch-hint.ts";

const run1 = { ...key, run: 1 };

const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const plan = (...decisions: readonly object[]) => ({
  decisions,
  projectResources: { app: { project: "local/app" } },
});

test("a submitted plan runs from one hint to its signed seal, every decision and event in order", async () => {
  const world = memoryWorld();
  await world.submit(
    plan(
      { id: "d1", toolCalls: [write("a.txt", "one\n"), write("b.txt", "two\n")] },
      {
        id: "d2",
        dependsOn: ["d1"],
        toolCalls: [{ tool: "move_file", input: { source: "a.txt", destination: "c.txt" } }],
      },
      { id: "d3", toolCalls: [] },
    ),
    { "README.md": "hello\n" },
  );
  const deadlineEpochMs = world.clock.now() + 60_000;
  const outcome = await advanceRun({ hint: hintOf(run1), deadlineEpochMs, receiveCount: 1 }, world.ports);
  assert.equal(outcome.kind, "ended");
  const frontier = await world.ports.frontiers.read(run1);
  assert.ok(frontier?.state.phase === "completed");
  assert.equal(frontier.position, 3);
  assert.deepEqual(frontier.counts, { landed: 3, failed: 0, skipped: 0, toolCalls: 3, entries: 4 });
  const [step] = await world.ports.steps.range({ ...run1, from: 0, before: 3, limit: 10 });
  assert.deepEqual(
    step?.events.map(({ seq, type, decisionId }) => [seq, type, decisionId]),
    [
      [1, "runtime_execute_started", undefined],
      [2, "runtime_execute_step", "d1"],
      [3, "runtime_execute_step", "d2"],
      [4, "runtime_execute_step", "d3"],
      [5, "runtime_execute_complete", undefined],
    ],
  );
  const { digest, signature } = frontier.state;
  assert.equal(digest, step?.chainHead);
  const statement = { planId: key.planId, run: 1, digest, seq: 5, ledgerHead: frontier.ledgerHead };
  assert.ok(isSigned(statement, signature));
  assert.ok(!isSigned({ ...statement, seq: 4 }, signature));
  assert.equal(frontier.nextCheckEpochSeconds, undefined);
});
