import type { AcceptedReply } from "../api/plan-replies.ts";
import type { ResumeRequest } from "../api/plan-requests.ts";
import { validationErrorOf } from "../errors/validation-issue.ts";
import type { ToolCall } from "../plan/compiled-plan.ts";
import type { SubmissionQuota } from "../quota/submission-quota.ts";
import { type ResumePorts, resumePlan } from "../run/resume-plan.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { callIssue } from "./check-plan-tools.ts";
import { type ControlOrder, type ControlPlanPorts, controlled } from "./control-plan.ts";
import { counted } from "./counted.ts";
import { toolsOfPlan } from "./tools-of-plan.ts";

export type ResumePlanPorts = Omit<ResumePorts, "admitRun"> &
  ControlPlanPorts & { readonly tools: ToolRegistry; readonly quota: SubmissionQuota };

/**
 * Lets a paused run go on; after an end, opens a further run of what did not land, with corrected calls where given. To quotas
 * a further run is as a new plan.
 */
export const resume = async (
  ports: ResumePlanPorts,
  order: ControlOrder & { readonly request: ResumeRequest },
): Promise<AcceptedReply> => {
  return controlled(ports, order, async (key, by, { plan }) => {
    // Corrected calls too are made with the tools that the plan was accepted with.
    const toolCalls = correctedCalls(order.request, await toolsOfPlan(ports.tools, plan.tools));
    const frontier = await resumePlan(
      key,
      { ...by, ...(toolCalls === undefined ? {} : { toolCalls }) },
      { ...ports, admitRun: (run) => ports.quota.admit(run) },
    );
    const message = `Plan ${key.planId} goes on: run ${frontier.run}, ${counted(frontier.decisionCount - frontier.position, "decision")} to go.`;
    return { frontier, message };
  });
};

const correctedCalls = (
  { toolCalls }: ResumeRequest,
  tools: ToolRegistry,
): Readonly<Record<string, readonly ToolCall[]>> | undefined => {
  if (toolCalls === undefined) return undefined;
  const issues = Object.entries(toolCalls).flatMap(([id, calls]) =>
    calls.flatMap((call, ordinal) => callIssue(call, `/toolCalls/${id}/${ordinal}`, tools) ?? []),
  );
  if (issues.length > 0) throw validationErrorOf(issues, 20);
  return toolCalls;
};
