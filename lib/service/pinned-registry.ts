import type { PinnedTool, PlanRecord } from "../plan/compiled-plan.ts";
import type { ExternalToolPorts } from "../tools/external/external-tool-ports.ts";
import { toolFromDefinition } from "../tools/external/tool-from-definition.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import { pinnedDefinition } from "./pinned-definition.ts";

/** The tools of a plan for whoever runs it: those of the service, and the pinned ones under the names that its calls use. */
export const runnerOfPlan = (options: {
  readonly tools: ToolRegistry;
  readonly external: Omit<ExternalToolPorts, "tenant">;
}): ((plan: PlanRecord) => ToolRunner) => {
  const standard = new ToolRunner({ registry: options.tools });
  return ({ tenant, plan: { tools = [] } }) => {
    if (tools.length === 0) return standard;
    const made = tools.map((pinned) => pinnedTool(pinned, { ...options.external, tenant }));
    return new ToolRunner({
      registry: new ToolRegistry(made, { below: options.tools, validatorOf: checkedBefore }),
    });
  };
};

/** Plans, and calls corrected at a resume, are accepted with inputs that fit the pinned schema; neither changes since. */
const checkedBefore = () => () => undefined;

const pinnedTool = (pinned: PinnedTool, ports: ExternalToolPorts): Tool => ({
  ...toolFromDefinition(pinnedDefinition(pinned), ports),
  name: pinned.name,
});
