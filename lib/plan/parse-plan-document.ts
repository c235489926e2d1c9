import * as z from "zod/mini";
import { assertJsonValue } from "../canonical/assert-json-value.ts";
import { type ValidationIssue, validationErrorOf, validationIssues } from "../errors/validation-issue.ts";
import { decisionTreeIssue } from "./decision-tree.ts";
import {
  automationProfiles,
  type DecisionDocument,
  decisionDocument,
  type PlanDocument,
  planEnvelope,
} from "./plan-document.ts";
import { maxListedIssues, planLimits } from "./plan-limits.ts";
import { planOrder } from "./plan-order.ts";
import { resourceIssues } from "./resource-rules.ts";

/**
 * Reads a plan as somebody wrote it (parsed JSON or YAML). Throws a `ValidationError` whose code and `field` are those of the
 * first issue; up to twenty of them stand in `details.issues`. Beyond the schema: every limit of `plan-limits.ts`, known
 * and unique decision ids, an order without a cycle (F9), a tree of reasons, resources and bindings that fit each
 * other. Which tools there are, and whether a call names its resource, is for `checkCallResources` and the tool registry.
 */
export function parsePlanDocument(value: unknown): PlanDocument {
  assertJsonValue(value, { maxDepth: planLimits.jsonDepth });
  const envelope = z.safeParse(planEnvelope, value);
  if (!envelope.success) {
    const issues = envelopeIssues(envelope.error.issues, value);
    return throwIssues([...issues, ...issuesOfDecisionsIn(value, issues)]);
  }
  const { decisions, issues } = readDecisions(envelope.data.decisions);
  if (issues.length > 0) return throwIssues(issues);
  const document: PlanDocument = { ...envelope.data, decisions };
  const misfits = resourceIssues(document);
  if (misfits.length > 0) return throwIssues(misfits);
  planOrder(decisions);
  const treeIssue = decisionTreeIssue(decisions, document.decisionRootId);
  if (treeIssue !== undefined) return throwIssues([treeIssue]);
  return document;
}

interface ReadDecisions {
  readonly decisions: DecisionDocument[];
  readonly issues: readonly ValidationIssue[];
}

function readDecisions(values: readonly unknown[]): ReadDecisions {
  const decisions: DecisionDocument[] = [];
  const issues: ValidationIssue[] = [];
  for (const [index, value] of values.entries()) {
    const prefix = `/decisions/${index}`;
    const decision = z.safeParse(decisionDocument, value);
    if (!decision.success)
      issues.push(...validationIssues(decision.error.issues, { value, schema: decisionDocument, prefix }));
    else {
      issues.push(...inputSizeIssues(decision.data, prefix));
      decisions.push(decision.data);
    }
    if (issues.length >= maxListedIssues) break;
  }
  return { decisions, issues };
}

/** So that somebody who mistyped a field of the plan hears of those of its decisions too; not where the list is the issue. */
function issuesOfDecisionsIn(
  value: unknown,
  envelope: readonly ValidationIssue[],
): readonly ValidationIssue[] {
  if (typeof value !== "object" || value === null || !("decisions" in value)) return [];
  if (!Array.isArray(value.decisions) || envelope.some(({ field }) => field === "/decisions")) return [];
  return readDecisions(value.decisions).issues;
}

function inputSizeIssues(decision: DecisionDocument, prefix: string): readonly ValidationIssue[] {
  const limit = planLimits.toolInputBytes;
  return (decision.toolCalls ?? []).flatMap(({ input }, callOrdinal) => {
    const found = Buffer.byteLength(JSON.stringify(input));
    if (found <= limit) return [];
    const field = `${prefix}/toolCalls/${callOrdinal}/input`;
    const message = `takes ${found} bytes of JSON; a call's input may take ${limit}. Split it over several calls`;
    return [{ field, code: "limit_exceeded" as const, message, details: { limit, found } }];
  });
}

function envelopeIssues(issues: readonly z.core.$ZodIssue[], value: unknown): readonly ValidationIssue[] {
  return validationIssues(issues, { value, schema: planEnvelope }).map((issue) =>
    issue.field === "/automationProfile"
      ? { ...issue, code: "unknown_profile", details: { allowed: automationProfiles } }
      : issue,
  );
}

function throwIssues(issues: readonly ValidationIssue[]): never {
  throw validationErrorOf(issues, maxListedIssues);
}
