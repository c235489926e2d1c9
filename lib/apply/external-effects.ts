import type { CallRecord, DecisionRecord } from "../run/decision-record.ts";
import type { ExternalEffect } from "./derived-changeset.ts";

/**
 * The calls of tools that reach outside which had an effect there, or may have had one: those that succeeded, also in decisions
 * that failed later, and those whose outcome nobody knows. In the order of the decisions and calls.
 */
export function externalEffects(
  decisions: Iterable<Pick<DecisionRecord, "decisionId" | "calls">>,
  isExternal: (tool: string) => boolean,
): readonly ExternalEffect[] {
  const effects: ExternalEffect[] = [];
  for (const { decisionId, calls } of decisions) {
    for (const call of calls) {
      const outcome = isExternal(call.tool) ? effectOf(call) : undefined;
      if (outcome === undefined) continue;
      effects.push({ decisionId, callOrdinal: call.callOrdinal, tool: call.tool, outcome });
    }
  }
  return effects;
}

/** The call was sent, and no answer to it was read. */
const unknownAfter: ReadonlySet<string> = new Set([
  "external_outcome_unknown",
  "tool_timed_out",
  "output_too_large",
]);

function effectOf({ status, failure }: CallRecord): ExternalEffect["outcome"] | undefined {
  if (status === "succeeded") return "succeeded";
  return failure !== undefined && unknownAfter.has(failure.code) ? "unknown" : undefined;
}
