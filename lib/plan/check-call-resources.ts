import { type ValidationIssue, validationErrorOf } from "../errors/validation-issue.ts";
import type { PlanDocument } from "./plan-document.ts";
import { maxListedIssues } from "./plan-limits.ts";
import { documentResources } from "./resource-rules.ts";

/**
 * Holds the `resource` of every tool input to the plan's resources and bindings: needed when the plan has more than one
 * resource, and known when it is given (`unknown_resource`). Only tools that work on a workspace are looked at, as the caller
 * knows them from the registry: what an external tool calls `resource` is its own business.
 */
export function checkCallResources(
  document: PlanDocument,
  options: { readonly usesWorkspace: (tool: string) => boolean },
): void {
  const resources = documentResources(document).map(({ name }) => name);
  const known = new Set([...resources, ...Object.keys(document.resourceBindings ?? {})]);
  const allowed = [...known].sort();
  const issues: ValidationIssue[] = [];
  for (const [index, { toolCalls }] of document.decisions.entries()) {
    for (const [callOrdinal, { tool, input }] of (toolCalls ?? []).entries()) {
      const fault = options.usesWorkspace(tool)
        ? faultOf(input.resource, { known, needed: resources.length > 1 })
        : undefined;
      if (fault === undefined) continue;
      const field = `/decisions/${index}/toolCalls/${callOrdinal}/input/resource`;
      const message = `${fault.message} (one of ${allowed.map((name) => `'${name}'`).join(", ")})`;
      issues.push({ field, code: fault.code, message, details: { allowed } });
      if (issues.length >= maxListedIssues) break;
    }
    if (issues.length >= maxListedIssues) break;
  }
  if (issues.length > 0) throw validationErrorOf(issues, maxListedIssues);
}

function faultOf(
  resource: unknown,
  rule: { readonly known: ReadonlySet<string>; readonly needed: boolean },
): Pick<ValidationIssue, "code" | "message"> | undefined {
  if (resource === undefined) {
    if (!rule.needed) return undefined;
    return { code: "validation_failed", message: "is required, since this plan has more than one resource" };
  }
  // Another type is the tool's input schema's to refuse.
  if (typeof resource !== "string" || rule.known.has(resource)) return undefined;
  return { code: "unknown_resource", message: `is '${resource}', which this plan does not bind` };
}
