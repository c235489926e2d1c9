import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { Clock } from "../run/clock.ts";
import type { DecisionExecutor, OpenExecutor } from "../run/decision-executor.ts";
import type { RunState } from "../run/run-state.ts";
import type { ToolRunner } from "../tools/tool-runner.ts";
import type { FileState } from "../tree/file-state.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import { type DecisionResource, executeDecision } from "./execute-decision.ts";
import { heldContents } from "./held-contents.ts";

/** A decision may replace many files: what is larger is not loaded for a delta. */
const maxReplacedBytes = 1024 * 1024;
/** Of what the state finds already: enough for the files that decisions go back and forth between. */
const heldContentBytes = 32 * 1024 * 1024;
/** After this long without a pause, others of the process get their turn before the next decision. */
const turnAfterMs = 10;

/**
 * Runs decisions on stored workspaces: pinned base trees, and over them what the run changed so far. Decisions on files that
 * are in memory need no I/O, so a run would keep a process to itself for hundreds of them: heartbeats, and the status or
 * pause that somebody else asks for, would wait. Hence a turn of the event loop between decisions, now and then.
 */
export const openStoredExecutor =
  (ports: StoredExecutorPorts): OpenExecutor =>
  async (plan, state) =>
    storedExecutor(ports, plan, state);

export interface StoredExecutorPorts {
  readonly treesOf: (tenant: string) => TreeStore;
  readonly runner: ToolRunner;
  readonly clock: Clock;
  /** Of content that the state finds already, so much stays in memory (32 MiB without it). */
  readonly heldContentBytes?: number;
}

const storedExecutor = (
  ports: StoredExecutorPorts,
  { tenant, plan }: PlanRecord,
  state: RunState,
): DecisionExecutor => {
  const trees = ports.treesOf(tenant);
  const opened = plan.resources.map(({ name, access, baseTree }) => {
    const overlay = changesOf(state, name);
    return { name, access, workspace: storedWorkspace({ trees, content: state.content, baseTree, overlay }) };
  });
  const resources = new Map<string, DecisionResource>(opened.map((resource) => [resource.name, resource]));
  const held = heldContents(
    opened.map(({ workspace }) => workspace),
    ports.heldContentBytes ?? heldContentBytes,
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
      held.release();
      const dropWritten = held.mark();
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
      if (outcome.status === "failed") dropWritten();
      return { outcome, calls, entries, reads, contents };
    },
    contentsStored: held.stored,
  };
};

const changesOf = (state: RunState, resource: string): ReadonlyMap<string, FileState | null> =>
  new Map([...(state.overlay.get(resource) ?? [])].map(([path, { file }]) => [path, file]));
