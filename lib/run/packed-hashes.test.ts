import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { packHashes, unpackHashes } from "./packed-hashes.ts";

const numRuns = Number(process.env.PROPERTY_RUNS ?? 300);
const digit = fc.constantFrom(..."0123456789abcdef");
const hash = fc
  .tuple(fc.constantFrom(40, 64), fc.array(digit, { minLength: 64, maxLength: 64 }))
  .map(([length, digits]) => digits.join("").slice(0, length));
const few = fc.constantFrom("a".repeat(64), "b".repeat(40));
/** Also what only looks like a hash, a mark, or the end of a string. */
const text = fc.oneof(
  hash,
  few,
  fc.string({ unit: "binary", maxLength: 12 }),
  hash.map((one) => `x"${one}`),
  hash.map((one) => `${one}\\`),
  hash.map((one) => one.toUpperCase()),
  hash.map((one) => `${one}0`),
  fc.constantFrom("\u0001", "\u0002", "\u00031;", "lone \ud800 surrogate"),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.integer(),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
})).value;

test("a JSON text whose hashes were taken out is the same text again, whatever stands in it", () => {
  fc.assert(
    fc.property(json, (value) => {
      const written = JSON.stringify(value);
      assert.equal(unpackHashes(packHashes(written)), written);
    }),
    { numRuns },
  );
});

test("each hash takes its bytes once, however often it is named", () => {
  const [one, other, short] = ["1".repeat(64), "2".repeat(64), "3".repeat(40)];
  const { text, hashes } = packHashes(JSON.stringify([one, other, short, one, { [one]: other, short }]));
  assert.equal(hashes.length, 32 + 32 + 20);
  assert.ok(!/[0-9a-f]{40}/.test(text), text);
});

test("a text without its hashes is refused", () => {
  const { text, hashes } = packHashes(JSON.stringify(["1".repeat(64), "1".repeat(64)]));
  assert.throws(() => unpackHashes({ text, hashes: hashes.subarray(1) }), RangeError);
  assert.throws(() => unpackHashes({ text: '["\u00039;"]', hashes }), RangeError);
});
