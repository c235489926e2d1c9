import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import type { Paint } from "./paint.ts";
import { printable } from "./print-safely.ts";
import { UsageError } from "./usage-error.ts";

/** A failure in words: what was wrong, where, and all issues of a document. A stack only for what nobody raised on purpose. */
export function describeFailure(fault: unknown, paint: Paint): string {
  const label = paint("red", "error:");
  if (fault instanceof PlanledgerError) {
    const lines = [`${label} ${printable(fault.message)}`];
    const issues = listedIssues(fault).slice(1);
    for (const { field, message } of issues) lines.push(`  ${printable(field)} ${printable(message)}`);
    lines.push(paint("dim", `  (${fault.code}${requestOf(fault)})`));
    return `${lines.join("\n")}\n`;
  }
  if (fault instanceof UsageError) return `${label} ${printable(fault.message)}\n`;
  if (fault instanceof Error) {
    const known = "code" in fault || fault.name === "AbortError";
    return `${label} ${printable(known ? fault.message : (fault.stack ?? fault.message))}\n`;
  }
  return `${label} ${printable(String(fault))}\n`;
}

/** The same as one JSON document. */
export function failureJson(fault: unknown): unknown {
  if (fault instanceof PlanledgerError) {
    const { code, message, retryable, details } = fault;
    return { error: { code, message, retryable, details } };
  }
  const code = fault instanceof UsageError ? "usage" : "internal";
  return { error: { code, message: fault instanceof Error ? fault.message : String(fault) } };
}

function listedIssues(
  fault: PlanledgerError,
): readonly { readonly field: string; readonly message: string }[] {
  const listed = fault.details.issues ?? fault.details.problems;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((issue: unknown) => {
    if (typeof issue !== "object" || issue === null || !("field" in issue) || !("message" in issue))
      return [];
    return [{ field: String(issue.field), message: String(issue.message) }];
  });
}

const requestOf = (fault: PlanledgerError): string =>
  typeof fault.details.requestId === "string" ? `, request ${printable(fault.details.requestId)}` : "";
