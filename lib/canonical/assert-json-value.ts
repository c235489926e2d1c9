import { ValidationError } from "../errors/planledger-error.ts";
import { jsonPointer } from "./json-pointer.ts";
import { defaultMaxJsonDepth } from "./parse-strict-json.ts";

/**
 * Holds a value that did not come out of `parseStrictJson` (from YAML, or from a caller in process) to the same rules: plain
 * JSON data of a bounded depth, exact numbers, well-formed strings, no keys that reach for prototypes.
 */
export function assertJsonValue(root: unknown, options: { readonly maxDepth?: number } = {}): void {
  const maxDepth = options.maxDepth ?? defaultMaxJsonDepth;
  const path: (string | number)[] = [];

  const refuse = (what: string, limit?: { readonly limit: number; readonly found: number }) => {
    const field = jsonPointer(path);
    return new ValidationError({
      code: limit === undefined ? "validation_failed" : "limit_exceeded",
      field,
      message: `${field === "" || field.length > 200 ? "The document" : field} ${what}.`,
      ...(limit === undefined ? {} : { details: limit }),
    });
  };

  const visit = (value: unknown): void => {
    if (value === null || typeof value === "boolean") return;
    if (typeof value === "string") assertWellFormed(value);
    else if (typeof value === "number") assertExact(value);
    else if (typeof value === "object") visitNested(value);
    else
      throw refuse(`is ${value === undefined ? "undefined" : `a ${typeof value}`}, which JSON does not know`);
  };

  const assertWellFormed = (value: string): void => {
    if (!value.isWellFormed()) {
      throw refuse("holds a lone surrogate, which no UTF-8 can carry. Send arbitrary bytes as base64");
    }
  };

  const assertExact = (value: number): void => {
    if (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)) return;
    throw refuse(
      `is the number ${value}; numbers must be finite and within ±${Number.MAX_SAFE_INTEGER}, where they are exact`,
    );
  };

  const visitNested = (value: object): void => {
    if (path.length >= maxDepth) {
      throw refuse(`is nested deeper than ${maxDepth} levels`, { limit: maxDepth, found: path.length + 1 });
    }
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) step(index, value[index]);
      return;
    }
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) throw refuse("is no plain JSON object");
    for (const [key, member] of Object.entries(value)) {
      assertKey(key);
      step(key, member);
    }
  };

  const step = (key: string | number, member: unknown): void => {
    path.push(key);
    visit(member);
    path.pop();
  };

  const assertKey = (key: string): void => {
    const owner = path.at(-1);
    path.push(key);
    assertWellFormed(key);
    if (key === "__proto__" || (key === "prototype" && owner === "constructor")) {
      throw refuse("is not allowed, since it reaches for an object's prototype");
    }
    path.pop();
  };

  visit(root);
}
