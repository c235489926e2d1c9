import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { byteOrder } from "./byte-order.ts";
import { propertyRuns } from "./property-runs.testkit.ts";

it("orders any two strings as their UTF-8 bytes are ordered", () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom("\ue000", "\uffff", "\u{10000}", "a", "/"),
      fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    ),
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(byteOrder(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: propertyRuns(1000) },
  );
});

it("puts U+FFFF before U+10000, which UTF-16 order does not", () => {
  assert.ok(byteOrder("\uffff", "\u{10000}") < 0);
  assert.ok("\uffff" > "\u{10000}");
});
