import { LineCounter, parseDocument } from "yaml";
import { type JsonPath, jsonPointer } from "../canonical/json-pointer.ts";
import { ValidationError } from "../errors/planledger-error.ts";

/** How often one anchor may multiply what the text holds; enough for people, too little for a bomb. */
const maxAliasCount = 100;

/** The parser's messages that speak of its own interface or inside. */
const wordsFor = new Map([
  [
    "Source contains multiple documents; please use YAML.parseAllDocuments()",
    "A second YAML document begins here; put each into a file of its own",
  ],
  ["With stringKeys, all keys must be strings", "Only plain text can be a key here"],
  ["Maximum call stack size exceeded", "The YAML text is nested too deep to be read"],
]);

/**
 * The value of a YAML 1.2 text by the core schema: one document, string keys, none twice, no tags but the schema's own, no
 * merge keys. Throws a `ValidationError` whose details name line and column (of a text that is no YAML) or whose field says where. Integers that are not exact as numbers
 * are refused here, since afterwards nobody could tell. The rest of JSON's rules is for `assertJsonValue`.
 */
export function readYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  const document = guardStack(() =>
    parseDocument(text, {
      version: "1.2",
      schema: "core",
      resolveKnownTags: false,
      merge: false,
      stringKeys: true,
      uniqueKeys: true,
      intAsBigInt: true,
      strict: true,
      prettyErrors: false,
      logLevel: "error",
      lineCounter,
    }),
  );
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const { line, col: column } = lineCounter.linePos(fault.pos[0]);
    throw new ValidationError({
      field: "",
      message: `${wordsFor.get(fault.message) ?? fault.message.replace(/\.$/, "")}.`,
      details: { line, column },
      cause: fault,
    });
  }
  return guardStack(() =>
    withExactIntegers(
      toPlain(() => document.toJS({ maxAliasCount })),
      [],
    ),
  );
}

function toPlain(convert: () => unknown): unknown {
  try {
    return convert();
  } catch (cause) {
    if (!(cause instanceof ReferenceError)) throw cause;
    throw tooLarge(
      "The aliases of this YAML text multiply its content too often. Write it out instead.",
      cause,
    );
  }
}

/** The parser recurses; what is nested so deep that it runs out of stack is far beyond every limit anyway. */
function guardStack<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw tooLarge("The YAML text is nested too deep to be read, or an alias contains itself.", cause);
  }
}

function withExactIntegers(value: unknown, path: JsonPath): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    if (Number.isSafeInteger(number)) return number;
    const message = `${jsonPointer(path)} is the number ${value}, beyond ±${Number.MAX_SAFE_INTEGER}, where numbers stop being exact. Put it in quotes.`;
    throw new ValidationError({ field: jsonPointer(path), message });
  }
  if (Array.isArray(value))
    return value.map((element, index) => withExactIntegers(element, [...path, index]));
  if (typeof value !== "object" || value === null) return value;
  // `Object.fromEntries` defines own members, so that even `__proto__` stays visible to the checks that follow.
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withExactIntegers(member, [...path, key])]),
  );
}

const tooLarge = (message: string, cause: unknown): ValidationError =>
  new ValidationError({ code: "limit_exceeded", field: "", message, cause });
