import type { EntryReply } from "#lib/api/plan-replies.ts";
import type { SourceFile } from "#lib/client/upload-tree.ts";
import { contentState } from "#lib/content/content-state.ts";
import { treeDiff } from "#lib/diff/tree-diff.ts";
import type { PlanDocument } from "#lib/plan/plan-document.ts";
import { planOrder } from "#lib/plan/plan-order.ts";
import { documentResources } from "#lib/plan/resource-rules.ts";
import type { Clock } from "#lib/run/clock.ts";
import type { DecisionOutcome } from "#lib/run/decision-record.ts";
import { type DecisionResource, executeDecision } from "#lib/runtime/execute-decision.ts";
import type { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { ToolRunner } from "#lib/tools/tool-runner.ts";
import { buildTree } from "#lib/tree/build-tree.ts";
import { emptyTree } from "#lib/tree/empty-tree.ts";
import { memoryTreeStore } from "#lib/tree/memory-tree-store.ts";
import type { TreeFile } from "#lib/tree/walk-tree.ts";
import { storedWorkspace } from "#lib/workspace/stored-workspace.ts";
import { type DiffStat, diffStatOf } from "./render/diff-stat.ts";

export interface DryDecision {
  readonly decisionId: string;
  readonly outcome: DecisionOutcome;
  readonly toolCalls: number;
  readonly entries: readonly Omit<EntryReply, "movedFrom">[];
}

export interface DryRun {
  readonly decisions: readonly DryDecision[];
  readonly diffStat: readonly DiffStat[];
}

/**
 * Runs a plan as the service would, one decision after another in plan order, on a tree in memory: the directory is only
 * read, a file at a time as tools come to it. Decisions behind a failed one are skipped. `resource` is the one that the
 * files are of; all others begin empty.
 */
export async function dryRun(options: {
  readonly document: PlanDocument;
  readonly resource: string;
  readonly files: readonly SourceFile[];
  readonly registry: ToolRegistry;
  readonly clock: Clock;
}): Promise<DryRun> {
  const { document } = options;
  const trees = memoryTreeStore();
  const onDisk = new Map<string, SourceFile>();
  const base = await buildTree(trees, hashed(options.files, onDisk));
  const content = { get: async (sha256: string) => onDisk.get(sha256)?.read() };
  const resources = new Map<string, DecisionResource>();
  for (const { name, access } of documentResources(document)) {
    const baseTree = name === options.resource ? base.sha256 : emptyTree.sha256;
    resources.set(name, { access, workspace: storedWorkspace({ trees, content, baseTree }) });
  }
  const starts = new Map<string, Snapshot>();
  for (const [name, { workspace }] of resources) starts.set(name, await workspace.snapshot());

  const runner = new ToolRunner({ registry: options.registry });
  const decisions: DryDecision[] = [];
  const lost = new Set<string>();
  for (const index of planOrder(document.decisions)) {
    const decision = document.decisions[index];
    if (decision === undefined) continue;
    const { id, toolCalls = [], dependsOn = [] } = decision;
    const because = dependsOn.filter((needed) => lost.has(needed));
    if (because.length > 0) {
      lost.add(id);
      decisions.push({ decisionId: id, outcome: { status: "skipped", because }, toolCalls: 0, entries: [] });
      continue;
    }
    const executed = await executeDecision({
      decision: { id, toolCalls },
      resources,
      bindings: document.resourceBindings ?? {},
      runner,
      clock: options.clock,
    });
    if (executed.outcome.status === "failed") lost.add(id);
    const { outcome, toolCallCount, entries } = executed;
    decisions.push({ decisionId: id, outcome, toolCalls: toolCallCount, entries });
  }
  return { decisions, diffStat: await diffStat(resources, starts) };
}

type Snapshot = Awaited<ReturnType<DecisionResource["workspace"]["snapshot"]>>;

async function* hashed(
  files: readonly SourceFile[],
  onDisk: Map<string, SourceFile>,
): AsyncGenerator<TreeFile> {
  for (const source of files) {
    const file = contentState(await source.read(), source.mode);
    onDisk.set(file.sha256, source);
    yield { path: source.path, file };
  }
}

async function diffStat(
  resources: ReadonlyMap<string, DecisionResource>,
  starts: ReadonlyMap<string, Snapshot>,
): Promise<readonly DiffStat[]> {
  const stats: DiffStat[] = [];
  for (const [name, { workspace }] of resources) {
    const start = starts.get(name);
    if (start === undefined) continue;
    const end = await workspace.snapshot();
    const differences = await end.changesSince(start);
    const after = new Set(differences.map((difference) => difference.after?.sha256));
    const readContent = (sha256: string) => (after.has(sha256) ? end : start).content(sha256);
    for await (const piece of treeDiff({ differences, readContent })) stats.push(diffStatOf(piece));
  }
  return stats;
}
