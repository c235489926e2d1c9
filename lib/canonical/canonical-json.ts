import { createHash } from "node:crypto";
import { ValidationError } from "../errors/planledger-error.ts";
import { type JsonPath, jsonPointer } from "./json-pointer.ts";

/** Guards the stack and catches values that contain themselves; submissions are held to a depth of 64 long before. */
const maxCanonicalDepth = 512;

const flushAtChars = 1 << 16;

const needsNoEscape = /^[ !#-[\]-~]*$/;

/**
 * The canonical form of RFC 8785: no white space, keys ordered by UTF-16 code units, numbers as ECMAScript prints them
 * (`-0` is `0`), strings with the fewest escapes. Takes plain data: null, booleans, finite numbers, well-formed strings,
 * arrays and plain objects. Everything else, `undefined` members included, is a `ValidationError` whose `field` points
 * to it: a value that has no canonical form must never be hashed as if it had one.
 */
export function canonicalJson(value: unknown): string {
  let text = "";
  writeCanonical(value, (piece) => {
    text += piece;
  });
  return text;
}

/** SHA-256 (lower-case hex) of the canonical form, which is never held as a whole: documents of any size can be hashed. */
export function canonicalSha256(value: unknown): string {
  const hash = createHash("sha256");
  let pending = "";
  writeCanonical(value, (piece) => {
    pending += piece;
    if (pending.length < flushAtChars) return;
    hash.update(pending);
    pending = "";
  });
  return hash.update(pending).digest("hex");
}

/** Gives out whole tokens only, so that no surrogate pair is ever split between two pieces. */
function writeCanonical(root: unknown, write: (piece: string) => void): void {
  const path: (string | number)[] = [];

  const element = (value: unknown): void => {
    if (value === null || value === true || value === false) write(String(value));
    else if (typeof value === "string") write(canonicalString(value, path));
    else if (typeof value === "number") write(canonicalNumber(value, path));
    else if (typeof value === "object") composite(value);
    else throw notCanonical(path, `is ${value === undefined ? "undefined" : `a ${typeof value}`}`);
  };

  const composite = (value: object): void => {
    if (path.length >= maxCanonicalDepth) {
      throw notCanonical(path, `lies deeper than ${maxCanonicalDepth} levels, or contains itself`);
    }
    if (Array.isArray(value)) array(value);
    else if (isPlainObject(value)) members(value);
    else throw notCanonical(path, `is an instance of ${value.constructor?.name ?? "an unknown class"}`);
  };

  const array = (values: readonly unknown[]): void => {
    write("[");
    for (let index = 0; index < values.length; index++) {
      if (index > 0) write(",");
      path.push(index);
      element(values[index]);
      path.pop();
    }
    write("]");
  };

  const members = (object: Readonly<Record<string, unknown>>): void => {
    // The default order of strings is that of their UTF-16 code units, as the RFC wants it.
    const keys = Object.keys(object).sort();
    let opening = "{";
    for (const key of keys) {
      path.push(key);
      write(`${opening}${canonicalString(key, path)}:`);
      element(object[key]);
      path.pop();
      opening = ",";
    }
    write(keys.length === 0 ? "{}" : "}");
  };

  element(root);
}

function isPlainObject(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function canonicalString(value: string, path: JsonPath): string {
  // Most strings need no escape; to look is faster than to call.
  if (needsNoEscape.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw notCanonical(path, "holds a lone surrogate");
  return JSON.stringify(value);
}

function canonicalNumber(value: number, path: JsonPath): string {
  if (!Number.isFinite(value)) throw notCanonical(path, `is ${value}`);
  return JSON.stringify(value);
}

function notCanonical(path: JsonPath, what: string): ValidationError {
  const field = jsonPointer(path);
  return new ValidationError({
    field,
    message: `The value at ${field === "" ? "the top" : field} ${what}, which has no canonical JSON form (RFC 8785).`,
  });
}
