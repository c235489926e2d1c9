import { memoryContentStore } from "../content/memory-content-store.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { type DocumentResource, documentResources } from "../plan/resource-rules.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { directoryWorkspace } from "../workspace/directory-workspace.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { DecisionResource } from "./execute-decision.ts";
import type { PlanExecutionContext } from "./plan-execution-context.ts";

/**
 * The workspaces of a context's resources, by resource name, as a plan document's: the writable one is the directory at
 * `sandboxRoot`, where there is one; one that the caller supplies is used as it is; any other is empty and in memory. A
 * resource that names a `project` or a `tree` must be one of the first two, since nothing in process could load it:
 * else `ValidationError`.
 */
export function contextResources(
  context: PlanExecutionContext,
  supplied: Readonly<Record<string, Workspace>>,
): ReadonlyMap<string, DecisionResource> {
  const { sandboxRoot, projectResources } = context;
  const resources = documentResources({ decisions: [], projectResources: { ...projectResources } });
  const known = resources.map(({ name }) => name);
  for (const name of Object.keys(supplied)) {
    if (!known.includes(name)) {
      throw new ValidationError({
        field: `workspaces.${name}`,
        code: "unknown_resource",
        message: `workspaces.${name} is no resource of the context; it has ${known.join(", ")}.`,
        details: { allowed: known },
      });
    }
  }
  return new Map(
    resources.map((resource) => {
      const workspace = supplied[resource.name] ?? openWorkspace(resource, sandboxRoot);
      return [resource.name, { workspace, access: resource.access }];
    }),
  );
}

function openWorkspace(resource: DocumentResource, sandboxRoot: string | undefined): Workspace {
  if (resource.access === "write" && sandboxRoot !== undefined) {
    return directoryWorkspace({ root: sandboxRoot });
  }
  const reference = resource.tree ?? resource.project;
  if (reference !== undefined) {
    throw new ValidationError({
      field: `workspaces.${resource.name}`,
      message: `The resource ${resource.name} stands for ${reference}, which nothing in process can load; hand its workspace in as workspaces.${resource.name}, or a sandboxRoot that holds it.`,
    });
  }
  return storedWorkspace({
    trees: memoryTreeStore(),
    content: memoryContentStore(),
    baseTree: emptyTree.sha256,
  });
}
