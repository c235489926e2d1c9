import assert from "node:assert/strict";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import { initialDigest, nextDigest } from "../changeset/digest.ts";
import type { ContentStore } from "../content/content-store.ts";
import type { CompiledDecision, PlanRecord } from "../plan/compiled-plan.ts";
import { openStoredExecutor } from "../runtime/stored-executor.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import type { ExternalGate } from "./decision-executor.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { append, externalTool } from "./model-world.testkit.ts";

/** What a serial execution, which knows nothing of queues, steps and frontiers, says of a decision. */
export interface ExpectedDecision {
  readonly decisionId: string;
  readonly status: "landed" | "failed" | "skipped";
  readonly entries: readonly ChangeEntry[];
  readonly because?: readonly string[];
  /** The digest's chain after it. */
  readonly chainHead: string;
}

/** Outcomes that are those of the infrastructure; a serial execution cannot know them and takes them as they came. */
const infrastructureCodes = ["dead_lettered", "external_outcome_unknown"];

export interface SerialOracle {
  readonly landed: ReadonlySet<number>;
  /** Runs a decision after all those before; `actual` is consulted for outcomes of the infrastructure alone. */
  next(decision: CompiledDecision, actual: DecisionRecord): Promise<ExpectedDecision>;
  /** A further run begins: what failed is forgotten. */
  furtherRun(): void;
}

export async function serialOracle(
  plan: PlanRecord,
  stores: { readonly trees: TreeStore; readonly content: ContentStore },
): Promise<SerialOracle> {
  const runner = new ToolRunner({
    registry: new ToolRegistry([
      ...builtinTools(),
      append,
      externalTool("charge", async () => undefined),
      externalTool("notify", async () => undefined),
    ]),
  });
  const clock = { now: () => 0 };
  const open = openStoredExecutor({ treesOf: () => stores.trees, runner, clock });
  const state = { overlay: new Map(), notLanded: new Map(), content: stores.content };
  const executor = await open(plan, state);
  const landed = new Set<number>();
  const failed = new Map<number, string>();
  let chainHead = initialDigest(
    plan.planId,
    Object.fromEntries(plan.plan.resources.map(({ name, baseTree }) => [name, baseTree])),
  );
  return {
    landed,
    furtherRun: () => failed.clear(),
    async next(decision, actual) {
      const { id: decisionId, ordinal } = decision;
      const because = decision.dependsOn.flatMap((dependency) => failed.get(dependency) ?? []);
      const fail = (status: "failed" | "skipped"): ExpectedDecision => {
        failed.set(ordinal, decisionId);
        return { decisionId, status, entries: [], chainHead, ...(status === "skipped" ? { because } : {}) };
      };
      if (because.length > 0) {
        return fail("skipped");
      }
      const { outcome } = actual;
      if (outcome.status === "failed" && infrastructureCodes.includes(outcome.failure.code)) {
        return fail("failed");
      }
      const gate: ExternalGate = { run: (_, perform) => perform("") };
      const { outcome: expected, entries } = await executor.execute(decision, gate);
      if (expected.status === "failed") {
        return fail("failed");
      }
      landed.add(ordinal);
      chainHead = nextDigest(chainHead, { decisionId, entries });
      return { decisionId, status: "landed", entries, chainHead };
    },
  };
}

export function assertAsExpected(actual: DecisionRecord, expected: ExpectedDecision): void {
  assert.equal(actual.decisionId, expected.decisionId);
  assert.equal(actual.outcome.status, expected.status, `outcome of ${actual.decisionId}`);
  assert.deepEqual(actual.entries, expected.entries, `entries of ${actual.decisionId}`);
  if (actual.outcome.status === "skipped") {
    assert.deepEqual(actual.outcome.because, expected.because);
  }
}
