import type { ValidationIssue } from "../errors/validation-issue.ts";
import type { PlanDocument } from "./plan-document.ts";
import { planLimits } from "./plan-limits.ts";

/** What a plan that names no resource works on: one writable resource of this name, empty at first. */
export const defaultResourceName = "workspace";

/** A resource of a document with its defaults filled in. Without `project` and `tree` its base is the empty tree. */
export interface DocumentResource {
  readonly name: string;
  readonly project?: string;
  readonly tree?: string;
  readonly access: "read" | "write";
}

/**
 * The resources of a plan, by name. The access that is left out is `write` for the only resource of a plan, and else
 * `read`. A plan that names no resource has one, `workspace`, on the empty tree.
 */
export function documentResources(document: PlanDocument): readonly DocumentResource[] {
  const named = Object.entries(document.projectResources ?? {});
  if (named.length === 0) return [{ name: defaultResourceName, access: "write" }];
  return named
    .map(([name, resource]) => ({
      name,
      ...(resource.project === undefined ? {} : { project: resource.project }),
      ...(resource.tree === undefined ? {} : { tree: resource.tree }),
      access: resource.access ?? defaultAccess(named.length),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export const defaultAccess = (resourceCount: number): "read" | "write" =>
  resourceCount === 1 ? "write" : "read";

/** At most one resource is writable, and bindings name resources of the plan. */
export function resourceIssues(document: PlanDocument): readonly ValidationIssue[] {
  return [...countIssues(document), ...accessIssues(document), ...bindingIssues(document)];
}

function countIssues(document: PlanDocument): readonly ValidationIssue[] {
  return (["projectResources", "resourceBindings"] as const).flatMap((field) => {
    const found = Object.keys(document[field] ?? {}).length;
    const limit = planLimits[field];
    if (found <= limit) return [];
    const message = `holds ${found} names; at most ${limit} are allowed`;
    return [{ field: `/${field}`, code: "limit_exceeded" as const, message, details: { limit, found } }];
  });
}

function accessIssues(document: PlanDocument): readonly ValidationIssue[] {
  const resources = Object.entries(document.projectResources ?? {});
  const writable = resources.filter(([, { access }]) => access === "write").map(([name]) => name);
  const [first, second] = writable;
  if (first !== undefined && second !== undefined) {
    const message = `must not be 'write': '${first}' is writable already, and a plan writes to one resource only`;
    return [{ field: `/projectResources/${second}/access`, code: "validation_failed", message }];
  }
  const undecided = resources.length > 1 && first === undefined;
  if (undecided && resources.some(([, { access }]) => access === undefined)) {
    const message = 'must say which one of its resources is writable, with "access": "write"';
    return [{ field: "/projectResources", code: "validation_failed", message }];
  }
  return [];
}

function bindingIssues(document: PlanDocument): readonly ValidationIssue[] {
  const names = documentResources(document).map(({ name }) => name);
  return Object.entries(document.resourceBindings ?? {}).flatMap(([binding, name]): ValidationIssue[] => {
    const field = `/resourceBindings/${binding}`;
    if (!names.includes(name)) {
      const message = `names the resource '${name}', which is not in projectResources (there: ${listed(names)})`;
      return [{ field, code: "unknown_resource", message, details: { allowed: names } }];
    }
    if (binding !== name && names.includes(binding)) {
      const message = `must not give the name of the resource '${binding}' to '${name}'`;
      return [{ field, code: "validation_failed", message }];
    }
    return [];
  });
}

const listed = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");
