import * as z from "zod/mini";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { PinnedTool, PlanRecord } from "../plan/compiled-plan.ts";
import type { ExternalToolPorts } from "../tools/external/external-tool-ports.ts";
import { toolDefinition } from "../tools/external/tool-definition.ts";
import { toolFromDefinition } from "../tools/external/tool-from-definition.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";

/** The tools of a plan for whoever runs it: those of the service, and the pinned ones under the names that its calls use. */
export const runnerOfPlan = (options: {
  readonly tools: ToolRegistry;
  readonly external: Omit<ExternalToolPorts, "tenant">;
}): ((plan: PlanRecord) => ToolRunner) => {
  const standard = new ToolRunner({ registry: options.tools });
  return ({ tenant, plan: { tools = [] } }) => {
    if (tools.length === 0) return standard;
    const made = tools.map((pinned) => pinnedTool(pinned, { ...options.external, tenant }));
    return new ToolRunner({ registry: new ToolRegistry(made, { below: options.tools }) });
  };
};

/** The same for whoever only looks: nothing of it can run. */
export const registryOfPlan = (tools: ToolRegistry, pinned: readonly PinnedTool[] = []): ToolRegistry =>
  pinned.length === 0
    ? tools
    : new ToolRegistry(
        pinned.map((tool) => pinnedTool(tool, nowhere)),
        { below: tools },
      );

const pinnedTool = ({ name, id, definition }: PinnedTool, ports: ExternalToolPorts): Tool => {
  const parsed = z.safeParse(toolDefinition, definition);
  if (!parsed.success) {
    throw new InfrastructureError({
      code: "internal",
      message: `The pinned definition of the tool ${id} cannot be read back.`,
      cause: parsed.error,
    });
  }
  return { ...toolFromDefinition(parsed.data, ports), name };
};

const nowhere: ExternalToolPorts = {
  tenant: "",
  outbound: { allowedHosts: { allows: () => false }, resolve: async () => [] },
  secrets: { get: async () => undefined },
};
