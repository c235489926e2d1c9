import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { canonicalJson, canonicalSha256 } from "./canonical-json.ts";
import { sha256Hex } from "./sha256.ts";

/** RFC 8785, section 3.2.2 and appendix B: IEEE 754 bits and their only form. */
const numberVectors: readonly (readonly [bits: string, text: string])[] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

test("numbers take the form that RFC 8785 gives for their bits", () => {
  for (const [bits, text] of numberVectors) {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${bits}`));
    assert.equal(canonicalJson(view.getFloat64(0)), text, bits);
  }
});

test("the example of RFC 8785 section 3.2.2 comes out as the RFC prints it", () => {
  const value: unknown = JSON.parse(
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
  );
  assert.equal(
    canonicalJson(value),
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

test("keys are ordered by UTF-16 code units, as in RFC 8785 section 3.2.3", () => {
  const value = {
    "\u20ac": "Euro Sign",
    "\r": "Carriage Return",
    "\ufb33": "Hebrew Letter Dalet With Dagesh",
    "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face",
    "\u0080": "Control",
    "\u00f6": "Latin Small Letter O With Diaeresis",
  };
  assert.equal(
    canonicalJson(value),
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  );
});

const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, member]) => [key, shuffled(member)] as const)
      .reverse(),
  );
};

test("the canonical form reads back as the same value, and does not depend on the order of keys", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary", maxDepth: 6 }), (value) => {
      const text = canonicalJson(value);
      // What JSON itself cannot carry, -0, is not a difference.
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(JSON.parse(text)), text);
      assert.equal(canonicalJson(shuffled(value)), text);
      assert.equal(canonicalSha256(value), sha256Hex(text));
    }),
    { numRuns: propertyRuns(300) },
  );
});

test("hashing in pieces splits no character, wherever the pieces end", () => {
  for (const padding of [65_530, 65_534, 65_535, 65_536]) {
    const value = ["x".repeat(padding), "😀".repeat(40_000), { "😀": "é" }];
    assert.equal(canonicalSha256(value), sha256Hex(canonicalJson(value)));
  }
});

const endless: unknown[] = [];
endless.push(endless);

test("what has no canonical form is refused, with a pointer to it", () => {
  const cases: readonly (readonly [value: unknown, field: string])[] = [
    [undefined, ""],
    [{ a: [1, undefined] }, "/a/1"],
    [{ a: undefined }, "/a"],
    [[Number.NaN], "/0"],
    [{ "x/y~z": Number.POSITIVE_INFINITY }, "/x~1y~0z"],
    [["\ud800"], "/0"],
    [{ "\udc00": 1 }, "/\udc00"],
    [[1n], "/0"],
    [[new Date(0)], "/0"],
    [[new Map()], "/0"],
    [[() => 1], "/0"],
  ];
  for (const [value, field] of cases) {
    assert.throws(() => canonicalJson(value), { name: "ValidationError", code: "validation_failed", field });
    assert.throws(() => canonicalSha256(value), { name: "ValidationError", field });
  }
  assert.throws(() => canonicalJson(endless), { name: "ValidationError" });
});
