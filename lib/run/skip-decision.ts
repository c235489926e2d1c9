import type { CompiledDecision } from "../plan/compiled-plan.ts";
import type { DecisionRecord } from "./decision-record.ts";

/**
 * A decision is skipped when one of its dependencies failed or was skipped (R26); so is everything behind it in turn (F10).
 * Answers the ids of the dependencies that did not land, in plan order; none when the decision can run.
 */
export function missingDependencies(
  decision: CompiledDecision,
  notLanded: ReadonlyMap<number, string>,
): readonly string[] {
  return decision.dependsOn
    .toSorted((a, b) => a - b)
    .map((ordinal) => notLanded.get(ordinal))
    .filter((id) => id !== undefined);
}

export function skippedRecord(
  decision: CompiledDecision,
  because: readonly string[],
  nowEpochMs: number,
): DecisionRecord {
  return {
    ordinal: decision.ordinal,
    decisionId: decision.id,
    outcome: { status: "skipped", because },
    calls: [],
    entries: [],
    reads: [],
    startedAtEpochMs: nowEpochMs,
    durationMs: 0,
  };
}
