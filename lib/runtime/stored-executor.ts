import type { Clock } from "../run/clock.ts";
import type { OpenExecutor } from "../run/decision-executor.ts";
import type { RunState } from "../run/run-state.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { FileState } from "../tree/file-state.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import { type DecisionResource, executeDecision } from "./execute-decision.ts";

/**
 * Runs decisions as the service does: on stored workspaces over the plan's pinned bases and the run's state so far, through
 * one tool runner. Nothing of a tree is loaded before a tool touches it.
 */
export function storedExecutor(options: {
  readonly treesOf: (tenant: string) => TreeStore;
  readonly runner: ToolRunner;
  readonly clock: Clock;
}): OpenExecutor {
  const { treesOf, runner, clock } = options;
  return async (plan, state) => {
    const trees = treesOf(plan.tenant);
    const resources = new Map<string, DecisionResource>();
    for (const { name, baseTree, access } of plan.plan.resources) {
      const overlay = fileStates(state, name);
      resources.set(name, {
        workspace: storedWorkspace({ trees, content: state.content, baseTree, overlay }),
        access,
      });
    }
    return {
      isExternal: ({ toolCalls }) =>
        toolCalls.some(({ tool }) => runner.registry.get(tool)?.effect === "external"),
      async execute(decision, gate) {
        const { toolCallCount: _, ...executed } = await executeDecision({
          decision,
          resources,
          bindings: plan.plan.resourceBindings,
          runner,
          clock,
          external: (callOrdinal, run, info) => gate.run({ callOrdinal, ...info }, run),
        });
        return executed;
      },
    };
  };
}

function fileStates(state: RunState, resource: string): ReadonlyMap<string, FileState | null> {
  const paths = state.overlay.get(resource) ?? new Map();
  return new Map([...paths].map(([path, { file }]) => [path, file]));
}
