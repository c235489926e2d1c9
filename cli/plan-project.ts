import type { PlanDocument } from "#lib/plan/plan-document.ts";
import { defaultResourceName, documentResources } from "#lib/plan/resource-rules.ts";
import { UsageError } from "./usage-error.ts";

/** The resource that `--project` is for: the writable one, or the only one. */
export function projectResourceName(document: PlanDocument): string {
  const resources = documentResources(document);
  const writable = resources.find(({ access }) => access === "write");
  const chosen = writable ?? (resources.length === 1 ? resources[0] : undefined);
  if (chosen !== undefined) return chosen.name;
  throw new UsageError(
    `the plan has ${resources.length} resources (${resources.map(({ name }) => name).join(", ")}) and none with access: write; --project is for the writable one`,
  );
}

/** The plan with its project's base set to an uploaded tree, so that the base is part of the document. */
export function withProjectTree(document: PlanDocument, tree: string): PlanDocument {
  const name = projectResourceName(document);
  const resource = document.projectResources?.[name];
  if (resource?.tree !== undefined && resource.tree !== tree) {
    throw new UsageError(
      `the plan names a tree for ${JSON.stringify(name)} itself, another than that of the directory; leave out one of the two`,
    );
  }
  const access =
    name === defaultResourceName && resource === undefined ? ("write" as const) : resource?.access;
  return {
    ...document,
    projectResources: {
      ...document.projectResources,
      [name]: { ...resource, tree, ...(access === undefined ? {} : { access }) },
    },
  };
}
