import type { ErrorCode } from "../errors/error-code.ts";
import type { ErrorDetails } from "../errors/planledger-error.ts";
import { strictJsonError } from "./strict-json-error.ts";

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const word = /[A-Za-z0-9_$.+-]+/y;

const literals = new Map<string, unknown>([
  ["null", null],
  ["true", true],
  ["false", false],
]);

const objectStart = 0x7b;
const arrayStart = 0x5b;
const quote = 0x22;
const backslash = 0x5c;
const space = 0x20;
const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Reads one JSON text; see `parseStrictJson` for what it refuses. Written here because `JSON.parse` drops duplicate keys and
 * rounds numbers without a word, and a reader that reports both has to walk the text itself anyway.
 */
export function strictJsonReader(text: string, maxDepth: number): { readDocument(): unknown } {
  const path: (string | number)[] = [];
  let offset = 0;
  let depth = 0;

  const refuse = (code: ErrorCode, what: string, details?: ErrorDetails) =>
    strictJsonError(text, { offset, path }, details === undefined ? { code, what } : { code, what, details });

  const skipWhiteSpace = (): void => {
    for (let code = text.charCodeAt(offset); code <= space; code = text.charCodeAt(++offset)) {
      if (code !== space && code !== lineFeed && code !== tab && code !== carriageReturn) return;
    }
  };

  const takeIf = (character: string): boolean => {
    skipWhiteSpace();
    if (text[offset] !== character) return false;
    offset++;
    return true;
  };

  const found = (): string => {
    if (offset >= text.length) return "the text ends here";
    if (text.charCodeAt(offset) === 0xfeff) return "there is a byte order mark";
    word.lastIndex = offset;
    const start = word.test(text) ? text.slice(offset, word.lastIndex) : String.fromCodePoint(codePoint());
    return `there is ${JSON.stringify(start.slice(0, 40))}`;
  };
  const codePoint = (): number => text.codePointAt(offset) ?? 0;

  const expected = (what: string) => refuse("malformed_json", `expected ${what}, but ${found()}.`);

  const value = (): unknown => {
    skipWhiteSpace();
    switch (text.charCodeAt(offset)) {
      case objectStart:
        return nested(object);
      case arrayStart:
        return nested(array);
      case quote:
        return string();
      default:
        return scalar();
    }
  };

  const nested = (read: () => unknown): unknown => {
    if (++depth > maxDepth) {
      throw refuse("limit_exceeded", `objects and arrays are nested deeper than ${maxDepth} levels.`, {
        limit: maxDepth,
        found: depth,
      });
    }
    offset++;
    const result = read();
    depth--;
    return result;
  };

  const object = (): unknown => {
    const members: Record<string, unknown> = {};
    if (takeIf("}")) return members;
    do {
      member(members);
    } while (takeIf(","));
    if (!takeIf("}")) throw expected("',' or '}'");
    return members;
  };

  const member = (members: Record<string, unknown>): void => {
    skipWhiteSpace();
    const keyOffset = offset;
    if (text.charCodeAt(offset) !== quote) throw expected("a key in double quotes");
    const key = string();
    const owner = path.at(-1);
    path.push(key);
    const refuseKey = (what: string) => {
      offset = keyOffset;
      return refuse("validation_failed", what);
    };
    if (Object.hasOwn(members, key)) {
      throw refuseKey(`the key ${shown(key)} stands twice in one object. Keep one of the two.`);
    }
    if (key === "__proto__" || (key === "prototype" && owner === "constructor")) {
      throw refuseKey(
        `the key ${shown(key)} is not allowed here, since it reaches for an object's prototype.`,
      );
    }
    if (!takeIf(":")) throw expected("':' after a key");
    members[key] = value();
    path.pop();
  };

  const array = (): unknown => {
    const elements: unknown[] = [];
    if (takeIf("]")) return elements;
    do {
      path.push(elements.length);
      elements.push(value());
      path.pop();
    } while (takeIf(","));
    if (!takeIf("]")) throw expected("',' or ']'");
    return elements;
  };

  const string = (): string => {
    const start = offset;
    const hasEscapes = skipString();
    const content = hasEscapes ? unescaped(start) : text.slice(start + 1, offset - 1);
    if (content.isWellFormed()) return content;
    offset = start;
    throw refuse(
      "validation_failed",
      "the string holds a lone surrogate, which no UTF-8 can carry. Send arbitrary bytes as base64.",
    );
  };

  /** Moves behind the closing quote; tells whether there were escapes on the way. A loop, so that no input makes it backtrack. */
  const skipString = (): boolean => {
    let hasEscapes = false;
    for (let end = offset + 1; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === quote) {
        offset = end + 1;
        return hasEscapes;
      }
      if (code === backslash) {
        hasEscapes = true;
        end++;
      } else if (code < space) {
        offset = end;
        throw refuse("malformed_json", "a raw control character in a string. Write it as an escape.");
      }
    }
    throw refuse("malformed_json", "this string does not end.");
  };

  const unescaped = (start: number): string => {
    try {
      const content: unknown = JSON.parse(text.slice(start, offset));
      return String(content);
    } catch {
      offset = start;
      throw refuse("malformed_json", "this string holds an escape that JSON does not know.");
    }
  };

  const scalar = (): unknown => {
    const start = offset;
    number.lastIndex = offset;
    if (number.test(text)) {
      offset = number.lastIndex;
      return numeric(text.slice(start, offset), start);
    }
    word.lastIndex = offset;
    const candidate = word.test(text) ? text.slice(offset, word.lastIndex) : "";
    if (!literals.has(candidate)) throw expected("a value");
    offset += candidate.length;
    return literals.get(candidate);
  };

  const numeric = (token: string, start: number): number => {
    const result = Number(token);
    if (!Number.isInteger(result) ? Number.isFinite(result) : Number.isSafeInteger(result)) return result;
    offset = start;
    throw refuse(
      "validation_failed",
      `the number ${token.slice(0, 40)} is beyond ±${Number.MAX_SAFE_INTEGER}, where numbers stop being exact. Send it as a string.`,
    );
  };

  return {
    readDocument() {
      const document = value();
      skipWhiteSpace();
      if (offset < text.length) throw expected("nothing after the document");
      return document;
    },
  };
}

const shown = (key: string): string => JSON.stringify(key.length > 40 ? `${key.slice(0, 40)}…` : key);
