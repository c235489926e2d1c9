import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { parseStrictJson } from "./parse-strict-json.ts";

const accepts = (read: () => unknown): { readonly value: unknown } | undefined => {
  try {
    return { value: read() };
  } catch {
    return undefined;
  }
};

const jsonFragments = fc.constantFrom(
  ..."[ ] { } , : \" ' \\ / - + . 0 1 9 e E t r u f a l s n null true false".split(" "),
  ...['"a"', '"b":', '"\\n"', '"\\u00e9"', '"\\x"', "1.5e3", "-0", "01", " ", "\n", "\t", "\u00a0", "\u0000"],
);

test("any value that JSON can carry is read as JSON.parse reads it, from text and from bytes", () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5, stringUnit: "binary" }),
      fc.constantFrom(undefined, 2, "\t"),
      (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!/__proto__|[0-9]{16}|e\+/.test(text));
        const expected: unknown = JSON.parse(text);
        assert.deepEqual(parseStrictJson(text), expected);
        assert.deepEqual(parseStrictJson(Buffer.from(text)), expected);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test("near-JSON is accepted exactly when JSON.parse accepts it, with the same value", () => {
  fc.assert(
    fc.property(fc.array(jsonFragments, { maxLength: 12 }), (fragments) => {
      const text = fragments.join("");
      const expected = accepts(() => JSON.parse(text));
      const found = accepts(() => parseStrictJson(text));
      if (found === undefined && hasDuplicateOrInexact(text)) return;
      assert.deepEqual(found, expected, text);
    }),
    { numRuns: propertyRuns(300) * 20 },
  );
});

test("one character more or less in a JSON text is accepted exactly when JSON.parse accepts it", () => {
  const edits = fc.record({ at: fc.nat(), remove: fc.nat({ max: 1 }), insert: jsonFragments });
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), edits, (value, { at, remove, insert }) => {
      const text = JSON.stringify(value, undefined, 1);
      const place = at % (text.length + 1);
      const edited = text.slice(0, place) + insert + text.slice(place + remove);
      const found = accepts(() => parseStrictJson(edited));
      if (found === undefined && hasDuplicateOrInexact(edited)) return;
      assert.deepEqual(
        found,
        accepts(() => JSON.parse(edited)),
        edited,
      );
    }),
    { numRuns: propertyRuns(300) * 5 },
  );
});

/** What a text loses in `JSON.parse`: members that stand twice, digits that no double holds. */
const hasDuplicateOrInexact = (text: string): boolean => {
  const value = accepts(() => JSON.parse(text));
  if (value === undefined) return false;
  const keyCount = [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*:/g)].length;
  let kept = 0;
  let inexact = false;
  JSON.parse(text, function (this: unknown, key: string, member: unknown) {
    if (key !== "" && !Array.isArray(this)) kept++;
    if (typeof member === "number" && Math.abs(member) > Number.MAX_SAFE_INTEGER) inexact = true;
    return member;
  });
  return inexact || kept < keyCount || /__proto__/.test(text);
};

test("what two readers could understand differently is refused, with field, line and column", () => {
  const cases: readonly (readonly [text: string, field: string, line: number, column: number])[] = [
    ['{"a":1,"a":2}', "/a", 1, 8],
    ['{"x":[{"a":1,\n  "\\u0061":2}]}', "/x/0/a", 2, 3],
    ['["\\ud800"]', "/0", 1, 2],
    ['["\\udc00\\ud800"]', "/0", 1, 2],
    ['{"\\ud800":1}', "", 1, 2],
    ["[9007199254740992]", "/0", 1, 2],
    ["[-9007199254740993]", "/0", 1, 2],
    ["[1e400]", "/0", 1, 2],
    ["[1,\n 1e20]", "/1", 2, 2],
    ['{"__proto__":{}}', "/__proto__", 1, 2],
    ['{"a":{"\\u005f_proto__":{}}}', "/a/__proto__", 1, 7],
    ['{"constructor":{"prototype":1}}', "/constructor/prototype", 1, 17],
  ];
  for (const [text, field, line, column] of cases) {
    assert.throws(
      () => parseStrictJson(text),
      { name: "ValidationError", code: "validation_failed", field, details: { field, line, column } },
      text,
    );
  }
});

test("numbers that are exact, and keys that only look dangerous, are accepted", () => {
  const text =
    '{"constructor":1,"prototype":2,"toString":[9007199254740991,-9007199254740991,1e15,0.1,5e-324,-0.0]}';
  assert.deepEqual(parseStrictJson(text), JSON.parse(text));
});

test("what is no JSON is malformed_json, with the place in the message", () => {
  const cases: readonly (readonly [text: string, place: RegExp])[] = [
    ["", /^Line 1, column 1: expected a value, but the text ends here/],
    ["[1,]", /^Line 1, column 4 \(\/1\)/],
    ['{"a":1,}', /column 8: expected a key in double quotes/],
    ["{'a':1}", /column 2/],
    ['{"a" 1}', /column 6 \(\/a\): expected ':'/],
    ["[01]", /column 3/],
    ["[1] 2", /column 5: expected nothing after the document/],
    ["\ufeff{}", /byte order mark/],
    ['["a\nb"]', /column 4 \(\/0\): a raw control character/],
    ['["abc', /does not end/],
    ['["\\', /does not end/],
    ['["\\x"]', /escape that JSON does not know/],
    ["[NaN]", /"NaN"/],
    ["// c\n1", /column 1/],
    ["[1", /the text ends here/],
  ];
  for (const [text, message] of cases) {
    assert.throws(
      () => parseStrictJson(text),
      { name: "ValidationError", code: "malformed_json", message },
      text,
    );
  }
  for (const bytes of [[0xff], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]) {
    assert.throws(() => parseStrictJson(Uint8Array.from(bytes)), {
      code: "malformed_json",
      message: /not valid UTF-8/,
    });
  }
});

test("nesting is read to the limit and refused one beyond, however deep the text goes on", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  assert.doesNotThrow(() => parseStrictJson(nested(64)));
  for (const depth of [65, 1_000_000]) {
    assert.throws(
      () => parseStrictJson(nested(depth)),
      (error: unknown) => {
        assert.ok(error instanceof Error && "code" in error && "details" in error);
        assert.equal(error.code, "limit_exceeded");
        assert.partialDeepStrictEqual(error.details, { limit: 64, found: 65, line: 1, column: 65 });
        return true;
      },
    );
  }
  assert.doesNotThrow(() => parseStrictJson(nested(100), { maxDepth: 100 }));
  assert.doesNotThrow(
    () => parseStrictJson(`[${Array(100).fill('{"a":[]}').join(",")}]`),
    "siblings are not depth",
  );
});

test("long strings full of escapes, ended or not, and wide objects are read without recursion or backtracking", () => {
  const escapes = "\\n".repeat(2_000_000);
  assert.equal(parseStrictJson(`"${escapes}"`), "\n".repeat(2_000_000));
  assert.throws(() => parseStrictJson(`"${escapes}`), { code: "malformed_json" });
  assert.throws(() => parseStrictJson(`"${"a".repeat(2_000_000)}\n"`), { code: "malformed_json" });
  const keys = Array.from({ length: 100_000 }, (_, index) => `"k${index}":${index}`);
  assert.throws(() => parseStrictJson(`{${keys.join(",")},"k0":1}`), { field: "/k0" });
});
