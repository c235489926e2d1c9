import type { CompiledDecision } from "./compiled-plan.ts";
import type { DecisionDocument } from "./plan-document.ts";
import { planOrder } from "./plan-order.ts";

/** Decisions of a parsed document in plan order, dependencies as ordinals (ascending, none twice), defaults filled in. */
export function orderedDecisions(documents: readonly DecisionDocument[]): readonly CompiledDecision[] {
  const ordinalOf = new Map<string, number>();
  const inOrder = planOrder(documents).flatMap((index) => documents[index] ?? []);
  for (const [ordinal, { id }] of inOrder.entries()) ordinalOf.set(id, ordinal);
  return inOrder.map((decision, ordinal) => {
    const dependsOn = new Set((decision.dependsOn ?? []).flatMap((id) => ordinalOf.get(id) ?? []));
    return {
      ordinal,
      id: decision.id,
      ...(decision.parentId === undefined ? {} : { parentId: decision.parentId }),
      ...(decision.rationale === undefined ? {} : { rationale: decision.rationale }),
      dependsOn: [...dependsOn].sort((a, b) => a - b),
      toolCalls: decision.toolCalls ?? [],
    };
  });
}
