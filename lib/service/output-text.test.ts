import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { outputText } from "./output-text.ts";

test("UTF-8 is shown as it is, byte order mark and NUL included", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      assert.deepEqual(outputText(Buffer.from(`\ufeff${text}\0`)), {
        text: `\ufeff${text}\0`,
        illFormed: false,
      });
    }),
  );
});

test("F18: what is no UTF-8 is escaped byte by byte, and the rest stays readable", () => {
  assert.deepEqual(outputText(Buffer.from([0x61, 0xff, 0xc3, 0xbc, 0xc3])), {
    text: "a\\xffü\\xc3",
    illFormed: true,
  });
  // A lone surrogate in CESU form, an overlong slash, a code point beyond Unicode.
  assert.equal(outputText(Buffer.from([0xed, 0xa0, 0x80])).text, "\\xed\\xa0\\x80");
  assert.equal(outputText(Buffer.from([0xc0, 0xaf])).text, "\\xc0\\xaf");
  assert.equal(outputText(Buffer.from([0xf4, 0x90, 0x80, 0x80])).text, "\\xf4\\x90\\x80\\x80");
});

test("F18: whatever the bytes are, the text is well formed and can stand in JSON", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      const { text } = outputText(bytes);
      assert.ok(text.isWellFormed());
      assert.equal(JSON.parse(JSON.stringify(text)), text);
    }),
  );
});
