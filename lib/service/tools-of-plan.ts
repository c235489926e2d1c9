import type { PinnedTool } from "../plan/compiled-plan.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { toolNames } from "../plan/tool-names.ts";
import type { ResourceStore } from "../resource/resource-store.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";

/**
 * The tools that a document calls: the service's, and the synced ones pinned (`pinTools`). What synced tools need is loaded
 * only for plans that call one.
 */
export const toolsOfDocument = async (
  ports: { readonly resources: Pick<ResourceStore, "get" | "list">; readonly tools: ToolRegistry },
  plan: { readonly tenant: string; readonly document: PlanDocument },
): Promise<{ readonly pinnedTools: readonly PinnedTool[]; readonly registry: ToolRegistry }> => {
  const names = [...toolNames(plan.document).keys()];
  if (names.every((name) => ports.tools.get(name) !== undefined)) {
    return { pinnedTools: [], registry: ports.tools };
  }
  const { pinTools } = await import("./pin-tools.ts");
  const pinnedTools = await pinTools(ports, plan);
  return { pinnedTools, registry: await toolsOfPlan(ports.tools, pinnedTools) };
};

/** The tools that an accepted plan may call, to look at: none of the pinned ones can run. */
export const toolsOfPlan = async (
  tools: ToolRegistry,
  pinned: readonly PinnedTool[] = [],
): Promise<ToolRegistry> =>
  pinned.length === 0 ? tools : (await import("./registry-of-plan.ts")).registryOfPlan(tools, pinned);
