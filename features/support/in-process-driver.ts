import assert from "node:assert/strict";
import type { ChangeEntry } from "#lib/changeset/change-entry.ts";
import { netChanges } from "#lib/changeset/net-changes.ts";
import { treeDiff } from "#lib/diff/tree-diff.ts";
import { PlanExecutionContext } from "#lib/runtime/plan-execution-context.ts";
import type { RuntimeEvent } from "#lib/runtime/runtime-event.ts";
import { RuntimeExecuteActor } from "#lib/runtime/runtime-execute-actor.ts";
import type { DecisionResult, RuntimeExecuteResult } from "#lib/runtime/runtime-execute-result.ts";
import { collected } from "./collected.ts";
import type { Files, PlanDriver, PlanReport, PlanText, ReportedDecision } from "./plan-driver.ts";
import { strategyDecisions } from "./plan-text.ts";
import { type Sandbox, sandbox } from "./sandbox.ts";
import { workspaceToolRunner } from "./workspace-tool-runner.ts";

interface Execution {
  readonly context: PlanExecutionContext;
  readonly result: RuntimeExecuteResult;
  readonly events: readonly RuntimeEvent[];
}

/** The public classes in this process, on in-memory stores and a directory of their own. */
export function inProcessDriver(): PlanDriver {
  let directory: Sandbox | undefined;
  let execution: Execution | undefined;

  function executed(): Execution {
    assert.ok(execution, "no plan was executed");
    return execution;
  }

  async function entries(): Promise<readonly ChangeEntry[]> {
    const { context, result } = executed();
    const changeset = await context.getChangeset(result.changesetId);
    assert.ok(changeset, "the run has no changeset");
    return changeset.entries;
  }

  async function content(sha256: string): Promise<Uint8Array> {
    const { context, result } = executed();
    const bytes = await context.changesetContent(result.changesetId, sha256);
    assert.ok(bytes, `the changeset has no content ${sha256}`);
    return bytes;
  }

  return {
    async provideProject(files: Files) {
      directory = await sandbox(files);
    },
    async execute(plan: PlanText) {
      const context = new PlanExecutionContext({
        planId: plan.planId,
        sandboxRoot: directory?.root,
        ...(directory !== undefined && { projectResources: { app: {} } }),
      });
      const events: RuntimeEvent[] = [];
      const toolRunner = workspaceToolRunner();
      const actor = new RuntimeExecuteActor({ context, toolRunner, onEvent: (event) => events.push(event) });
      const result = await actor.execute({ decisions: strategyDecisions(plan.document) });
      execution = { context, result, events };
    },
    async report(): Promise<PlanReport> {
      const { result, events } = executed();
      const changed = await entries();
      return {
        phase: result.phase,
        run: 1,
        digest: result.digest,
        noChanges: changed.length === 0,
        toolCalls: result.toolCallCount,
        decisions: result.outcomes.map(reportedDecision),
        entries: changed,
        events,
      };
    },
    async diff() {
      const [entry] = await entries();
      const differences = netChanges(await entries(), entry?.resource ?? "");
      const pieces = await collected(treeDiff({ differences, readContent: content }));
      return Buffer.concat(pieces.map(({ bytes }) => bytes));
    },
    content,
    async output(decisionId, callOrdinal) {
      const { result } = executed();
      const outcome = result.outcomes.find((one) => one.decisionId === decisionId);
      const call = outcome?.calls[callOrdinal];
      assert.ok(call, `decision ${decisionId} has no call ${callOrdinal}`);
      return call.output.bytes;
    },
    async close() {
      await directory?.remove();
    },
  };
}

export function reportedDecision({ decisionId, outcome }: DecisionResult): ReportedDecision {
  switch (outcome.status) {
    case "landed":
      return { decisionId, status: "landed", because: [] };
    case "failed":
      return { decisionId, status: "failed", code: outcome.failure.code, because: [] };
    case "skipped":
      return { decisionId, status: "skipped", code: "dependency_failed", because: outcome.because };
    default:
      throw new Error(`unknown outcome ${JSON.stringify(outcome satisfies never)}`);
  }
}
