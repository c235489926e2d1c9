import { ValidationError } from "../errors/planledger-error.ts";

function shown(value: unknown): string {
  if (value === undefined || value === null) {
    return String(value);
  }
  if (typeof value === "string") {
    return value === "" ? "an empty string" : `"${value.length > 100 ? `${value.slice(0, 100)}…` : value}"`;
  }
  if (typeof value === "number" || typeof value === "boolean") {
    return String(value);
  }
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}

/**
 * Arguments of the public classes are checked when they are made, since they are also made from untyped code: what is
 * wrong is told there and then, with the field's name, and not by a `TypeError` in the middle of a run.
 */
export function invalidArgument(options: {
  readonly owner: string;
  readonly field: string;
  readonly value: unknown;
  readonly expected: string;
}): ValidationError {
  const { owner, field, value, expected } = options;
  return new ValidationError({
    field,
    message: `${owner}: ${field} must be ${expected}; it is ${shown(value)}.`,
  });
}

/** The one object that a constructor takes. */
export function requireArguments(owner: string, value: unknown): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidArgument({ owner, field: "options", value, expected: "an object with the named arguments" });
  }
}

/** An object that has these methods: a port, whoever implements it. */
export function requireMethods(
  owner: string,
  argument: { readonly field: string; readonly value: unknown; readonly methods: readonly string[] },
): void {
  const { field, value, methods } = argument;
  const expected = `an object with ${methods.map((method) => `${method}()`).join(", ")}`;
  if (typeof value !== "object" || value === null) {
    throw invalidArgument({ owner, field, value, expected });
  }
  const missing = methods.filter((method) => typeof Reflect.get(value, method) !== "function");
  if (missing.length > 0) {
    throw new ValidationError({
      field,
      message: `${owner}: ${field} must be ${expected}; it lacks ${missing.map((method) => `${method}()`).join(", ")}.`,
    });
  }
}
