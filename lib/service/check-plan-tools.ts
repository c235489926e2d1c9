import { jsonPointer } from "../canonical/json-pointer.ts";
import { type ValidationIssue, validationErrorOf } from "../errors/validation-issue.ts";
import { checkCallResources } from "../plan/check-call-resources.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { maxListedIssues } from "../plan/plan-limits.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";

/**
 * Holds every call of a plan to the tools there are: an unknown one is `unknown_tool`, an input that breaks its tool's
 * schema `input_invalid`, with the field down to the place in the input. Throws a `ValidationError` for the first, and
 * lists up to twenty.
 */
export const checkPlanTools = (document: PlanDocument, tools: ToolRegistry): void => {
  const issues: ValidationIssue[] = [];
  for (const [index, decision] of document.decisions.entries()) {
    for (const [callOrdinal, call] of (decision.toolCalls ?? []).entries()) {
      const issue = callIssue(call, `/decisions/${index}/toolCalls/${callOrdinal}`, tools);
      if (issue !== undefined) issues.push(issue);
    }
    if (issues.length >= maxListedIssues) break;
  }
  if (issues.length > 0) throw validationErrorOf(issues, maxListedIssues);
  checkCallResources(document, { usesWorkspace: (name) => tools.get(name)?.effect !== "external" });
};

/** What is wrong with one call that stands at `pointer`. */
export const callIssue = (
  call: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> },
  pointer: string,
  tools: ToolRegistry,
): ValidationIssue | undefined => {
  const registered = tools.registered(call.tool);
  if (registered === undefined) {
    const allowed = tools.list().map(({ name }) => name);
    return {
      field: `${pointer}/tool`,
      code: "unknown_tool",
      message: `is '${call.tool}', which is neither a tool of this service (there: ${allowed.join(", ")}) nor one that was synced`,
      details: { allowed },
    };
  }
  const failure = registered.validate(call.input);
  if (failure === undefined) return undefined;
  const inside = typeof failure.details?.field === "string" ? failure.details.field : "";
  return {
    field: pointer + jsonPointer(["input"]) + inside,
    code: "input_invalid",
    message: `is not what the tool takes. ${failure.message.replace(/\.$/, "")}`,
    details: { tool: call.tool, ...failure.details },
  };
};
