import type { ValidationIssue } from "../errors/validation-issue.ts";
import { spellOut } from "./dependency-cycle.ts";

interface TreeDecision {
  readonly id: string;
  readonly parentId?: string | undefined;
}

/**
 * The first fault in the tree that explains why: a parent that is neither the decision root nor a decision of the plan, a
 * root that has a parent itself, or decisions that are each other's ancestors. Linear in the number of decisions.
 */
export function decisionTreeIssue(
  decisions: readonly TreeDecision[],
  decisionRootId: string | undefined,
): ValidationIssue | undefined {
  const indexOf = new Map(decisions.map(({ id }, index) => [id, index]));
  const parentOf = (index: number): number | undefined => {
    const parentId = decisions[index]?.parentId;
    return parentId === undefined ? undefined : indexOf.get(parentId);
  };
  for (const [index, { id, parentId }] of decisions.entries()) {
    if (parentId === undefined) continue;
    if (id === decisionRootId) {
      return issue(index, `must not be given: '${id}' is the decision root, the top of the tree`);
    }
    if (parentId !== decisionRootId && !indexOf.has(parentId)) {
      return issue(
        index,
        `is '${parentId}', which is neither a decision of this plan nor its decisionRootId`,
      );
    }
  }
  const cycle = findParentCycle(decisions.length, parentOf);
  if (cycle === undefined) return undefined;
  const ids = cycle.map((index) => decisions[index]?.id ?? "");
  return issue(cycle[0] ?? 0, `leads back to where it came from: ${spellOut(ids, "is below")}`);
}

function findParentCycle(
  count: number,
  parentOf: (index: number) => number | undefined,
): readonly number[] | undefined {
  /** 0: not visited; else the number of the walk that came by. */
  const walkOf = new Int32Array(count);
  for (let start = 0; start < count; start++) {
    let current: number | undefined = start;
    while (current !== undefined && walkOf[current] === 0) {
      walkOf[current] = start + 1;
      current = parentOf(current);
    }
    if (current === undefined || walkOf[current] !== start + 1) continue;
    const cycle = [current];
    for (let next = parentOf(current); next !== undefined && next !== current; next = parentOf(next)) {
      cycle.push(next);
    }
    return cycle;
  }
  return undefined;
}

const issue = (index: number, message: string): ValidationIssue => ({
  field: `/decisions/${index}/parentId`,
  code: "validation_failed",
  message,
});
