import { memoryContentStore } from "../content/memory-content-store.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import { executeDecision } from "../runtime/execute-decision.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { type ToolRequest, ToolRunner } from "../tools/tool-runner.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";

export interface PlannedDecision {
  readonly id: string;
  readonly dependsOn: readonly string[];
  readonly toolCalls: readonly ToolRequest[];
}

export type FinalDecision = Pick<DecisionRecord, "decisionId" | "outcome" | "calls" | "entries" | "reads">;

export const memoryStores = () => ({ contents: memoryContentStore(), trees: memoryTreeStore() });

const runner = (tools: readonly Tool[]): ToolRunner =>
  new ToolRunner({ registry: new ToolRegistry([...builtinTools(), ...tools]) });

/** Runs decisions one after another with real tools on the resource `app`, from a base tree; keeps all content. */
export async function runDecisions(
  stores: ReturnType<typeof memoryStores>,
  baseTree: string,
  options: { readonly decisions: readonly PlannedDecision[]; readonly tools?: readonly Tool[] },
): Promise<readonly FinalDecision[]> {
  const { contents: content, trees } = stores;
  const workspace = storedWorkspace({ trees, content, baseTree });
  const resources = new Map([["app", { workspace, access: "write" as const }]]);
  const tools = runner(options.tools ?? []);
  const landed = new Set<string>();
  const final: FinalDecision[] = [];
  for (const decision of options.decisions) {
    const because = decision.dependsOn.filter((id) => !landed.has(id));
    if (because.length > 0) {
      const outcome = { status: "skipped" as const, because };
      final.push({ decisionId: decision.id, outcome, calls: [], entries: [], reads: [] });
      continue;
    }
    const { outcome, calls, entries, reads, contents } = await executeDecision({
      decision,
      resources,
      bindings: {},
      runner: tools,
      clock: { now: () => 0 },
    });
    await content.put([...contents.values()]);
    if (outcome.status === "landed") landed.add(decision.id);
    final.push({ decisionId: decision.id, outcome, calls, entries, reads });
  }
  return final;
}
