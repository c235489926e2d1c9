import type * as z from "zod/mini";
import { jsonPointer } from "../canonical/json-pointer.ts";
import type { ErrorCode } from "./error-code.ts";
import { knownFields } from "./known-fields.ts";
import { type ErrorDetails, ValidationError } from "./planledger-error.ts";

/** One broken rule of a document: `field` is a JSON pointer, `message` reads on after it ("must be a string, not a number"). */
export interface ValidationIssue {
  readonly field: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: ErrorDetails;
}

/** The first issue speaks; all of them, up to the caller's cap, stand in `details.issues`. */
export function validationErrorOf(issues: readonly ValidationIssue[], maxListed: number): ValidationError {
  const first = issues[0] ?? { field: "", code: "validation_failed", message: "is not valid" };
  return new ValidationError({
    code: first.code,
    field: first.field,
    message: `${first.field === "" ? "The document" : first.field} ${first.message}.`,
    details: {
      ...first.details,
      issues: issues.slice(0, maxListed).map(({ field, code, message }) => ({ field, code, message })),
    },
  });
}

/**
 * Zod's issues in the words of an API: an unknown field is an issue of that field that lists those there are (where `schema`
 * is given), a broken maximum is `limit_exceeded` with `details { limit, found }`. `value` is what `schema` was to parse,
 * `prefix` the pointer at which it stands in the document.
 */
export function validationIssues(
  issues: readonly z.core.$ZodIssue[],
  parsed: { readonly value: unknown; readonly schema?: z.core.$ZodType; readonly prefix?: string },
): readonly ValidationIssue[] {
  return issues.flatMap((issue): ValidationIssue[] => {
    const field = (parsed.prefix ?? "") + jsonPointer(issue.path);
    if (issue.code === "unrecognized_keys") {
      const known = parsed.schema === undefined ? undefined : knownFields(parsed.schema, issue.path);
      const allowed = known === undefined ? "" : ` (there: ${known.join(", ")})`;
      return issue.keys.map((key) => ({
        field: field + jsonPointer([key]),
        code: "validation_failed",
        message: `is not a known field here${allowed}`,
      }));
    }
    return [{ field, code: "validation_failed", ...described(issue, valueAt(parsed.value, issue.path)) }];
  });
}

/** What zod says of a check without a message of its own. */
const unsaid = "Invalid input";

type Description = Omit<ValidationIssue, "field" | "code"> & { readonly code?: ErrorCode };

function described(issue: z.core.$ZodIssue, found: unknown): Description {
  switch (issue.code) {
    case "invalid_type":
      return found === undefined
        ? { message: `is required, and must be ${nameOf(issue.expected)}` }
        : { message: `must be ${nameOf(issue.expected)}, not ${kindOf(found)}` };
    case "too_big": {
      const limit = Number(issue.maximum);
      const count = unitOf(issue.origin) === "" ? numberOf(found) : sizeOf(found);
      return {
        code: "limit_exceeded",
        message: `is beyond the limit of ${limit}${unitOf(issue.origin)} (found ${count})`,
        details: { limit, found: count },
      };
    }
    case "too_small":
      return { message: atLeast(issue.origin, Number(issue.minimum)) };
    case "invalid_value":
      return { message: `must be one of ${issue.values.map((value) => `'${String(value)}'`).join(", ")}` };
    case "invalid_key":
      return { message: `is not an allowed name: it ${issue.issues[0]?.message ?? "is invalid"}` };
    case "invalid_format":
      return {
        message:
          issue.message === unsaid && issue.pattern !== undefined
            ? `must match ${issue.pattern}`
            : issue.message,
      };
    default:
      return { message: issue.message };
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, step)) return undefined;
    current = Object.getOwnPropertyDescriptor(current, step)?.value;
  }
  return current;
}

/** A query's numbers come as texts. */
const numberOf = (value: unknown): unknown =>
  typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;

const sizeOf = (value: unknown): unknown =>
  typeof value === "string" || Array.isArray(value) ? value.length : value;

/** What has elements or characters has them; a number is one. */
const atLeast = (origin: string, minimum: number): string => {
  const unit = unitOf(origin);
  if (unit === "") return `must be at least ${minimum}`;
  return `must have at least ${minimum}${minimum === 1 ? unit.replace(/s$/, "") : unit}`;
};

const unitOf = (origin: string): string =>
  origin === "string" ? " characters" : origin === "array" ? " elements" : "";

const names = new Map([
  ["array", "an array"],
  ["object", "an object"],
  ["record", "an object"],
  ["int", "an integer"],
]);
const nameOf = (type: string): string => names.get(type) ?? `a ${type}`;

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return nameOf(Array.isArray(value) ? "array" : typeof value);
}
