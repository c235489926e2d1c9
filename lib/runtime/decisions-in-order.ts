import type { CompiledDecision } from "../plan/compiled-plan.ts";
import { orderedDecisions } from "../plan/ordered-decisions.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import type { PlanExecutionContext } from "./plan-execution-context.ts";
import type { StrategyDecision } from "./strategy-decision.ts";

/**
 * Decisions in plan order, held to the same rules as those of a submitted plan document: a `ValidationError` names the
 * field, a cycle is spelled out (F9).
 */
export function decisionsInOrder(
  context: Pick<PlanExecutionContext, "decisionRootId">,
  decisions: readonly StrategyDecision[],
): readonly CompiledDecision[] {
  const { decisionRootId } = context;
  const document = parsePlanDocument({
    ...(decisionRootId !== undefined && { decisionRootId }),
    decisions: Array.isArray(decisions) ? decisions.map(withoutAbsent) : decisions,
  });
  return orderedDecisions(document.decisions);
}

/** Members that are `undefined` are left out, as JSON would. */
function withoutAbsent(decision: unknown): unknown {
  return typeof decision === "object" && decision !== null && !Array.isArray(decision)
    ? Object.fromEntries(Object.entries(decision).filter(([, value]) => value !== undefined))
    : decision;
}
