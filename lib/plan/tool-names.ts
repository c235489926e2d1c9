import type { PlanDocument } from "./plan-document.ts";

/** The tools that a plan calls, in the order of their first use, each with the JSON pointer of that use's name. */
export function toolNames(document: PlanDocument): ReadonlyMap<string, string> {
  const firstUse = new Map<string, string>();
  for (const [index, { toolCalls }] of document.decisions.entries()) {
    for (const [callOrdinal, { tool }] of (toolCalls ?? []).entries()) {
      if (!firstUse.has(tool)) firstUse.set(tool, `/decisions/${index}/toolCalls/${callOrdinal}/tool`);
    }
  }
  return firstUse;
}
