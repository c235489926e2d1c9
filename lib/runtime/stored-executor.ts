import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { Clock } from "../run/clock.ts";
import type { DecisionExecutor, OpenExecutor } from "../run/decision-executor.ts";
import type { RunState } from "../run/run-state.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { FileState } from "../tree/file-state.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import { type DecisionResource, executeDecision } from "./execute-decision.ts";

/** A decision may replace many files: what is larger is not loaded for a delta. */
const maxReplacedBytes = 1024 * 1024;
/** After this long without a pause, others of the process get their turn before the next decision. */
const turnAfterMs = 10;

/**
 * Runs decisions on stored workspaces: pinned base trees, and over them what the run changed so far. Decisions on files that
 * are in memory need no I/O, so a run would keep a process to itself for hundreds of them: heartbeats, and the status or
 * pause that somebody else asks for, would wait. Hence a turn of the event loop between decisions, now and then.
 */
export const openStoredExecutor =
  (ports: {
    readonly treesOf: (tenant: string) => TreeStore;
    readonly runner: ToolRunner;
    readonly clock: Clock;
  }): OpenExecutor =>
  async (plan, state) =>
    storedExecutor(ports, plan, state);

const storedExecutor = (
  ports: {
    readonly treesOf: (tenant: string) => TreeStore;
    readonly runner: ToolRunner;
    readonly clock: Clock;
  },
  { tenant, plan }: PlanRecord,
  state: RunState,
): DecisionExecutor => {
  const trees = ports.treesOf(tenant);
  const resources = new Map<string, DecisionResource>(
    plan.resources.map(({ name, access, baseTree }) => [
      name,
      {
        access,
        workspace: storedWorkspace({
          trees,
          content: state.content,
          baseTree,
          overlay: changesOf(state, name),
        }),
      },
    ]),
  );
  let lastTurnEpochMs = ports.clock.now();
  const giveTurn = async (): Promise<void> => {
    if (ports.clock.now() - lastTurnEpochMs < turnAfterMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    lastTurnEpochMs = ports.clock.now();
  };
  return {
    isExternal: ({ toolCalls }) =>
      toolCalls.some(({ tool }) => ports.runner.registry.get(tool)?.effect === "external"),
    execute: async (decision, gate) => {
      await giveTurn();
      const executed = await executeDecision({
        decision,
        resources,
        bindings: plan.resourceBindings,
        runner: ports.runner,
        clock: ports.clock,
        // It is in the base or in an earlier step already, and is only wanted for deltas over it.
        contentBefore: { replacedUpToBytes: maxReplacedBytes },
        external: (callOrdinal, run, info) => gate.run({ callOrdinal, ...info }, run),
      });
      const { outcome, calls, entries, reads, contents } = executed;
      return { outcome, calls, entries, reads, contents };
    },
  };
};

const changesOf = (state: RunState, resource: string): ReadonlyMap<string, FileState | null> =>
  new Map([...(state.overlay.get(resource) ?? [])].map(([path, { file }]) => [path, file]));
