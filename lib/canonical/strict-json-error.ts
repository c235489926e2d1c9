import type { ErrorCode } from "../errors/error-code.ts";
import { type ErrorDetails, ValidationError } from "../errors/planledger-error.ts";
import { type JsonPath, jsonPointer } from "./json-pointer.ts";

const longestShownField = 120;

/** A refusal at an offset of a JSON text; `what` reads on after "Line 3, column 7:". */
export function strictJsonError(
  text: string,
  at: { readonly offset: number; readonly path: JsonPath },
  refusal: { readonly code: ErrorCode; readonly what: string; readonly details?: ErrorDetails },
): ValidationError {
  const { line, column } = lineAndColumn(text, at.offset);
  const field = jsonPointer(at.path);
  return new ValidationError({
    code: refusal.code,
    field,
    message: `Line ${line}, column ${column}${field === "" || field.length > longestShownField ? "" : ` (${field})`}: ${refusal.what}`,
    details: { line, column, ...refusal.details },
  });
}

/** Counted from 1; columns in UTF-16 code units, as editors count them. */
export function lineAndColumn(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < offset; end = text.indexOf("\n", end + 1)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
