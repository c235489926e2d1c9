import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { Clock } from "../run/clock.ts";
import type { CallRecord, DecisionOutcome } from "../run/decision-record.ts";
import { failureOf } from "../tools/failure-of.ts";
import type { ToolFailure, ToolOutcome } from "../tools/tool-outcome.ts";
import type { ToolRequest, ToolRunner } from "../tools/tool-runner.ts";
import { type ReadRecord, readRecord } from "../workspace/read-record.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { WorkspaceRead } from "../workspace/workspace-read.ts";
import type { WorkspaceSnapshot } from "../workspace/workspace-snapshot.ts";
import { callTool, type NumberedCall } from "./call-tool.ts";
import { type ContentBefore, captureChanges, maxChangedBytes } from "./capture-changes.ts";

/** A resource of the plan as a decision works on it. */
export interface DecisionResource {
  readonly workspace: Workspace;
  readonly access: "read" | "write";
}

export interface ExternalCallInfo {
  readonly tool: string;
  readonly inputSha256: string;
  readonly idempotent: boolean;
  readonly timeLimitMs: number;
}

/**
 * Stands between a decision and a call that reaches outside: it records the intent, calls `run` (once, or not at all when a
 * result is known), records the result and answers it. What it throws goes through `executeDecision` unchanged.
 */
export type ExternalCalls = (
  callOrdinal: number,
  run: (idempotencyKey?: string) => Promise<ToolOutcome>,
  info: ExternalCallInfo,
) => Promise<ToolOutcome>;

export interface ExecuteDecisionOptions {
  readonly decision: { readonly id: string; readonly toolCalls: readonly ToolRequest[] };
  /** By the resource's own name. */
  readonly resources: ReadonlyMap<string, DecisionResource>;
  /** Further names: binding to resource name. */
  readonly bindings: Readonly<Record<string, string>>;
  readonly runner: ToolRunner;
  readonly clock: Clock;
  /** Without it tools with external effects run like any other; with it they may not write to a workspace. */
  readonly external?: ExternalCalls;
  /** What else than all of the content before is loaded and stands in `contents`. */
  readonly contentBefore?: ContentBefore;
}

export interface ExecutedDecision {
  readonly outcome: Exclude<DecisionOutcome, { status: "skipped" }>;
  readonly calls: readonly CallRecord[];
  readonly toolCallCount: number;
  /** By call, then resource, then path bytes; none of a failed decision. */
  readonly entries: readonly ChangeEntry[];
  readonly reads: readonly WorkspaceRead[];
  /** Bytes of all entries after, and before unless that is left out, by SHA-256. */
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * Runs the tool calls of one decision, one after another, and captures what each changed by looking at every workspace
 * before and after it, whatever the tool says of itself. The first call that fails ends the decision: all workspaces go back
 * to where they stood before it, and it has no entries. A decision that landed is settled (no empty directory of its own
 * outlives it). A fault of the infrastructure is thrown, with the workspaces put back, so that a retry finds no trace.
 */
export const executeDecision = async (options: ExecuteDecisionOptions): Promise<ExecutedDecision> => {
  const execution = await startExecution(options);
  try {
    const failed = await runCalls(execution);
    if (failed === undefined) {
      for (const { workspace } of options.resources.values()) await workspace.settle();
      return result(execution, { status: "landed" });
    }
    await restore(execution.start);
    execution.entries.length = 0;
    execution.contents.clear();
    return result(execution, { status: "failed", ...failed });
  } catch (fault) {
    await restore(execution.start);
    throw fault;
  }
};

type Snapshots = ReadonlyMap<string, WorkspaceSnapshot>;

interface Execution {
  readonly options: ExecuteDecisionOptions;
  readonly start: Snapshots;
  readonly records: ReadonlyMap<string, ReadRecord>;
  readonly calls: CallRecord[];
  readonly entries: ChangeEntry[];
  readonly contents: Map<string, Uint8Array>;
}

const startExecution = async (options: ExecuteDecisionOptions): Promise<Execution> => ({
  options,
  start: await snapshots(options),
  records: new Map([...options.resources.keys()].map((name) => [name, readRecord(name)])),
  calls: [],
  entries: [],
  contents: new Map(),
});

const snapshots = async ({ resources }: ExecuteDecisionOptions): Promise<Snapshots> => {
  const taken = new Map<string, WorkspaceSnapshot>();
  for (const [name, { workspace }] of resources) taken.set(name, await workspace.snapshot());
  return taken;
};

const restore = async (start: Snapshots): Promise<void> => {
  for (const snapshot of start.values()) await snapshot.restore();
};

const result = (execution: Execution, outcome: ExecutedDecision["outcome"]): ExecutedDecision => ({
  outcome,
  calls: execution.calls,
  toolCallCount: execution.calls.length,
  entries: execution.entries,
  reads: [...execution.records.values()].flatMap((record) => record.reads()),
  contents: execution.contents,
});

interface FailedCall {
  readonly failure: ToolFailure;
  readonly callOrdinal: number;
}

const runCalls = async (execution: Execution): Promise<FailedCall | undefined> => {
  const { options, calls } = execution;
  let before = execution.start;
  for (const [callOrdinal, call] of options.decision.toolCalls.entries()) {
    const startedAt = options.clock.now();
    const inputSha256 = hashInput(call);
    const { outcome, after } = await runCall(execution, { call, callOrdinal, inputSha256, before });
    const durationMs = Math.max(0, options.clock.now() - startedAt);
    calls.push({ callOrdinal, tool: call.tool, inputSha256, ...outcome, durationMs });
    if (outcome.status === "failed") return { failure: outcome.failure, callOrdinal };
    before = after;
  }
  return undefined;
};

/** A call and its capture; a workspace that cannot be captured (a socket made in it, a huge file) fails the call. */
const runCall = async (
  { options, records, entries, contents }: Execution,
  called: NumberedCall & { readonly before: Snapshots },
): Promise<{ readonly outcome: ToolOutcome; readonly after: Snapshots }> => {
  const { callOrdinal, before } = called;
  const outcome = await callTool(options, records, called);
  if (outcome.status === "failed") return { outcome, after: before };
  try {
    const after = await snapshots(options);
    const decisionId = options.decision.id;
    let keptBytes = 0;
    for (const bytes of contents.values()) keptBytes += bytes.byteLength;
    const captured = await captureChanges({ decisionId, callOrdinal }, options.resources, {
      before,
      after,
      contentBefore: options.contentBefore ?? "all",
      roomBytes: maxChangedBytes - keptBytes,
    });
    entries.push(...captured.entries);
    for (const [sha256, bytes] of captured.contents) contents.set(sha256, bytes);
    return { outcome, after };
  } catch (thrown) {
    const { failure } = failureOf(thrown, called.call.tool);
    return { outcome: { status: "failed", failure, output: outcome.output }, after: before };
  }
};

/** Input without a canonical form, which no submission lets through, still has a hash: that of its JSON. */
const hashInput = ({ input }: ToolRequest): string => {
  try {
    return canonicalSha256(input);
  } catch {
    return sha256Hex(jsonOf(input));
  }
};

const jsonOf = (input: unknown): string => {
  try {
    return String(JSON.stringify(input));
  } catch {
    return "";
  }
};
