import { initialDigest, nextDigest } from "../changeset/digest.ts";
import type { CompiledDecision } from "../plan/compiled-plan.ts";
import type { DecisionOutcome } from "../run/decision-record.ts";
import type { RunEventType } from "../run/run-event.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { WorkspaceSnapshot } from "../workspace/workspace-snapshot.ts";
import {
  type DecisionResource,
  type ExecutedDecision,
  type ExternalCalls,
  executeDecision,
} from "./execute-decision.ts";
import type { PlanExecutionContext } from "./plan-execution-context.ts";
import type { RuntimeEvent } from "./runtime-event.ts";
import { type DecisionResult, RuntimeExecuteResult } from "./runtime-execute-result.ts";
import { workspaceTree } from "./workspace-tree.ts";

export interface InProcessRunOptions {
  readonly context: PlanExecutionContext;
  /** All decisions of the plan, in plan order. */
  readonly decisions: readonly CompiledDecision[];
  readonly previous: RuntimeExecuteResult | undefined;
  readonly resources: ReadonlyMap<string, DecisionResource>;
  readonly toolRunner: ToolRunner;
  readonly external: (decisionId: string) => ExternalCalls;
  readonly notify: (event: RuntimeEvent) => void;
}

/** One run of a plan's decisions in this process; see `RuntimeExecuteActor`, whose run it is. */
export function inProcessRun(options: InProcessRunOptions): () => Promise<RuntimeExecuteResult> {
  const { context, decisions, previous, resources } = options;
  const landed = new Set(previous?.landed);
  const outcomes: DecisionResult[] = [];
  let digest = "";
  let changesetId = "";
  let lastSeq = 0;

  function tell(type: RunEventType, about: Partial<RuntimeEvent> = {}): void {
    lastSeq += 1;
    const atEpochMs = context.clock.now();
    options.notify({ seq: lastSeq, type, planId: context.planId, changesetId, atEpochMs, ...about });
  }

  async function decide(decision: CompiledDecision): Promise<void> {
    const because = decision.dependsOn
      .flatMap((ordinal) => decisions[ordinal]?.id ?? [])
      .filter((id) => !landed.has(id));
    if (because.length > 0) {
      return conclude(decision, { outcome: { status: "skipped", because }, calls: [] });
    }
    const executed = await executeDecision({
      decision,
      resources,
      bindings: context.resourceBindings,
      runner: options.toolRunner,
      clock: context.clock,
      external: options.external(decision.id),
    });
    if (executed.outcome.status === "landed") {
      await record(executed);
      landed.add(decision.id);
      digest = nextDigest(digest, { decisionId: decision.id, entries: executed.entries });
    }
    conclude(decision, executed);
  }

  /** A decision is final when all its entries are in the store. */
  async function record({ entries, contents }: ExecutedDecision): Promise<void> {
    for (const entry of entries) {
      await context.recordChange(entry, { changesetId, contents });
    }
    await context.flush();
  }

  function conclude(
    { id, ordinal }: CompiledDecision,
    ended: { readonly outcome: DecisionOutcome; readonly calls: DecisionResult["calls"] },
  ): void {
    outcomes.push({ decisionId: id, outcome: ended.outcome, calls: ended.calls });
    const { type, reason } = announced(ended.outcome);
    tell(type, { decisionId: id, ordinal, ...(reason !== undefined && { reason }) });
  }

  return async () => {
    const startedAt = context.clock.now();
    const beginnings = await snapshots(resources);
    digest = previous?.digest ?? initialDigest(context.planId, await baseTrees(resources));
    changesetId = await context.startChangeset();
    try {
      tell("runtime_execute_started");
      for (const decision of decisions) {
        if (previous === undefined || !landed.has(decision.id)) {
          await decide(decision);
        }
      }
      await context.sealChangeset(changesetId, digest);
    } catch (fault) {
      context.abandonChangeset(changesetId);
      for (const snapshot of beginnings) {
        await snapshot.restore();
      }
      throw fault;
    }
    tell("runtime_execute_complete", { digest });
    const { sandboxRoot } = context;
    return new RuntimeExecuteResult({
      changesetId,
      toolCallCount: outcomes.reduce((sum, { calls }) => sum + calls.length, 0),
      sandboxRefs: sandboxRoot === undefined ? [] : [sandboxRoot],
      decisionIdsProcessed: outcomes.map(({ decisionId }) => decisionId),
      executionDurationMs: Math.max(0, context.clock.now() - startedAt),
      outcomes,
      landedBefore: previous?.landed ?? [],
      digest,
    });
  };
}

async function snapshots(
  resources: ReadonlyMap<string, DecisionResource>,
): Promise<readonly WorkspaceSnapshot[]> {
  return Promise.all([...resources.values()].map(({ workspace }) => workspace.snapshot()));
}

async function baseTrees(
  resources: ReadonlyMap<string, DecisionResource>,
): Promise<Readonly<Record<string, string>>> {
  const trees: [string, string][] = [];
  for (const [name, { workspace }] of resources) {
    trees.push([name, (await workspaceTree(workspace)).sha256]);
  }
  return Object.fromEntries(trees);
}

function announced(outcome: DecisionOutcome): { readonly type: RunEventType; readonly reason?: string } {
  switch (outcome.status) {
    case "landed":
      return { type: "runtime_execute_step" };
    case "failed":
      return { type: "runtime_execute_failed", reason: outcome.failure.message };
    case "skipped":
      return {
        type: "runtime_execute_skipped",
        reason: `Dependencies did not land: ${outcome.because.join(", ")}.`,
      };
    default:
      throw new Error(`unknown outcome ${JSON.stringify(outcome satisfies never)}`);
  }
}
