import { failureOf } from "../tools/failure-of.ts";
import { keptOutput } from "../tools/kept-output.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import type { ToolRequest } from "../tools/tool-runner.ts";
import type { ReadRecord } from "../workspace/read-record.ts";
import {
  callIsOver,
  type ToolWorkspace,
  type ToolWorkspaceHandle,
  toolWorkspace,
} from "../workspace/tool-workspace.ts";
import type { ExecuteDecisionOptions } from "./execute-decision.ts";
import { resolveResource } from "./resolve-resource.ts";

export interface NumberedCall {
  readonly call: ToolRequest;
  readonly callOrdinal: number;
  readonly inputSha256: string;
}

/**
 * Runs one call through the tool runner, each resource opened when the tool first asks for it. Once it
 * answers, the tool can touch no workspace, neither one that it holds nor one that it asks for then. Throws only faults of the infrastructure, those included that the tool itself swallowed.
 */
export const callTool = async (
  options: Pick<ExecuteDecisionOptions, "resources" | "bindings" | "runner" | "external">,
  records: ReadonlyMap<string, ReadRecord>,
  called: NumberedCall,
): Promise<ToolOutcome> => {
  const { resources, bindings, runner, external } = options;
  const prepared = runner.prepare(called.call);
  if (prepared.status === "refused") return prepared.outcome;
  const { tool } = prepared;
  const throughPort = tool.effect === "external" ? external : undefined;
  const handles = new Map<string, ToolWorkspaceHandle>();
  let over = false;

  const workspace = (asked?: string): ToolWorkspace => {
    if (over) throw callIsOver();
    const name = resolveResource(asked ?? prepared.resource, resources, bindings);
    const resource = resources.get(name);
    const record = records.get(name);
    if (resource === undefined || record === undefined) throw new TypeError(`no resource ${name}`);
    const handle =
      handles.get(name) ??
      toolWorkspace({
        resource: name,
        ...resource,
        record,
        ...(throughPort === undefined ? {} : { readOnlyBecause: externalWritesNothing(tool.name) }),
      });
    handles.set(name, handle);
    return handle.workspace;
  };

  const run = async (idempotencyKey?: string): Promise<ToolOutcome> => {
    const outcome = await prepared.run({
      workspace,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    over = true;
    for (const handle of handles.values()) {
      const { fault } = await handle.close();
      if (fault !== undefined) throw fault;
    }
    return outcome;
  };

  if (prepared.resource !== undefined) {
    try {
      resolveResource(prepared.resource, resources, bindings);
    } catch (refused) {
      return { status: "failed", failure: failureOf(refused, tool.name).failure, output: keptOutput("") };
    }
  }
  if (throughPort === undefined) return run();
  return throughPort(called.callOrdinal, run, {
    tool: tool.name,
    inputSha256: called.inputSha256,
    idempotent: tool.idempotent === true,
    timeLimitMs: prepared.timeLimitMs,
  });
};

const externalWritesNothing = (tool: string): string =>
  `The tool ${JSON.stringify(tool)} has external effects and may read workspaces only: its result is recorded and not made again, and a change to a workspace would be lost. Write what it answers with a further call.`;
