import { idempotencyKey } from "../run/idempotency-key.ts";
import { keptOutput } from "../tools/kept-output.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import type { ExternalCalls } from "./execute-decision.ts";
import type { PlanExecutionContext } from "./plan-execution-context.ts";

/**
 * Calls that reach outside, for the runs of one actor: what succeeded once is not called again when a decision runs anew
 * (failures are). The idempotency key is made of plan, decision, call ordinal and input hash. Under `review` such a call
 * needs an approval of its own, which only the service can take: it fails as `not_approved`.
 */
export function inProcessExternalCalls(
  context: Pick<PlanExecutionContext, "planId" | "automationProfile">,
): (decisionId: string) => ExternalCalls {
  const succeeded = new Map<string, ToolOutcome>();
  return (decisionId) => async (callOrdinal, run, info) => {
    if (context.automationProfile === "review") {
      return notApproved(info.tool);
    }
    const { planId } = context;
    const key = idempotencyKey({ planId, decisionId, callOrdinal, inputSha256: info.inputSha256 });
    const known = succeeded.get(key);
    if (known !== undefined) {
      return known;
    }
    const outcome = await run(key);
    if (outcome.status === "succeeded") {
      succeeded.set(key, outcome);
    }
    return outcome;
  };
}

function notApproved(tool: string): ToolOutcome {
  const message = `The tool ${JSON.stringify(tool)} reaches outside, which the profile review allows after an approval only, and in process nobody can give one: submit the plan to the service, or use another profile.`;
  return { status: "failed", failure: { code: "not_approved", message }, output: keptOutput("") };
}
