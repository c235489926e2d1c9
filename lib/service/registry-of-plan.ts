import { InfrastructureError } from "../errors/planledger-error.ts";
import type { PinnedTool } from "../plan/compiled-plan.ts";
import { linearInputValidator } from "../tools/linear-pattern.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { pinnedDefinition } from "./pinned-definition.ts";

/** The tools of a plan for whoever only looks: the pinned ones cannot run, so that what calls out need not be there. */
export const registryOfPlan = (tools: ToolRegistry, pinned: readonly PinnedTool[]): ToolRegistry =>
  pinned.length === 0
    ? tools
    : new ToolRegistry(pinned.map(toolToLookAt), { below: tools, validatorOf: linearInputValidator });

const toolToLookAt = (pinned: PinnedTool): Tool => {
  const { description, inputSchema, run } = pinnedDefinition(pinned);
  return {
    name: pinned.name,
    description,
    inputSchema,
    effect: "external",
    idempotent: run.idempotent === true,
    run: async () => {
      throw new InfrastructureError({
        code: "internal",
        message: `The tool ${pinned.name} was only to be looked at.`,
      });
    },
  };
};
