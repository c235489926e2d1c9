import { ValidationError } from "../errors/planledger-error.ts";

/** The value as one of the allowed ones; anything else is a `ValidationError` that lists them (S18). */
export function allowedValue<Value extends string>(
  field: string,
  value: unknown,
  allowed: readonly Value[],
): Value {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  throw notAllowed(field, value, allowed);
}

export function notAllowed(field: string, value: unknown, allowed: readonly string[]): ValidationError {
  const shown = value === undefined ? "nothing" : JSON.stringify(value)?.slice(0, 100);
  return new ValidationError({
    field,
    message: `${field} must be one of ${allowed.join(", ")}, not ${shown}.`,
    details: { allowed },
  });
}
