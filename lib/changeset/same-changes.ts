import { isDeepStrictEqual } from "node:util";
import type { DecisionChanges } from "./change-set-store.ts";

/**
 * Whether two recordings of a decision say the same, so that a repeated append is told from a conflicting one. Content is
 * left out: entries name it by hash.
 */
export function sameChanges(
  a: Pick<DecisionChanges, "decisionId" | "entries">,
  b: Pick<DecisionChanges, "decisionId" | "entries">,
): boolean {
  return a.decisionId === b.decisionId && isDeepStrictEqual(a.entries, b.entries);
}
