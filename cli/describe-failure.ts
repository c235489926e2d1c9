import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import type { Paint } from "./paint.ts";
import { printable } from "./print-safely.ts";
import { conflictsOf, conflictText } from "./render/conflict-list.ts";
import { UsageError } from "./usage-error.ts";

/** A failure in words: what was wrong, where, all issues of a document, all conflicts that were told. A stack only for what nobody raised on purpose. */
export function describeFailure(fault: unknown, paint: Paint): string {
  const label = paint("red", "error:");
  if (fault instanceof PlanledgerError) {
    const lines = [`${label} ${printable(fault.message)}`];
    const issues = listedIssues(fault).slice(1);
    for (const { place, field, message } of issues)
      lines.push(`  ${place}${printable(field)} ${printable(message)}`);
    const inTheWay = conflictsOf(fault.details);
    if (inTheWay !== undefined) lines.push(conflictText(inTheWay, paint).trimEnd());
    lines.push(paint("dim", `  (${fault.code}${requestOf(fault)})`));
    return `${lines.join("\n")}\n`;
  }
  if (fault instanceof UsageError) return `${label} ${printable(fault.message)}\n`;
  if (fault instanceof Error) {
    const known = "code" in fault || fault.name === "AbortError";
    return `${label} ${printable(known ? withAdvice(fault) : (fault.stack ?? fault.message))}\n`;
  }
  return `${label} ${printable(String(fault))}\n`;
}

/** The same as one JSON document. */
export function failureJson(fault: unknown): unknown {
  if (fault instanceof PlanledgerError) {
    const { code, message, retryable, details } = fault;
    return { error: { code, message, retryable, details } };
  }
  const aborted = fault instanceof Error && "code" in fault && fault.code === "aborted";
  const code = fault instanceof UsageError ? "usage" : aborted ? "aborted" : "internal";
  return { error: { code, message: fault instanceof Error ? withAdvice(fault) : String(fault) } };
}

/** What to do about a machine that is out of something. */
const advice: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space, and run the command again",
  EDQUOT: "your share of the disk is used up; free some space, and run the command again",
  EROFS: "that disk can only be read; choose another place",
  EMFILE: "too many files are open; raise the limit (ulimit -n), and run the command again",
  ENFILE: "the machine has too many files open; close something, and run the command again",
};

const withAdvice = (fault: Error): string => {
  const known = "code" in fault ? advice[String(fault.code)] : undefined;
  return known === undefined ? fault.message : `${fault.message}: ${known}`;
};

interface ListedIssue {
  /** Where it stands in a file, with a colon behind it. */
  readonly place: string;
  readonly field: string;
  readonly message: string;
}

function listedIssues(fault: PlanledgerError): readonly ListedIssue[] {
  const listed = fault.details.issues ?? fault.details.problems;
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((issue: unknown) => {
    if (typeof issue !== "object" || issue === null || !("field" in issue) || !("message" in issue))
      return [];
    const place = "line" in issue && "column" in issue ? `${issue.line}:${issue.column}: ` : "";
    return [{ place, field: String(issue.field), message: String(issue.message) }];
  });
}

const requestOf = (fault: PlanledgerError): string =>
  typeof fault.details.requestId === "string" ? `, request ${printable(fault.details.requestId)}` : "";
