import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { packJson, unpackJson } from "./packed-json.ts";

const dictionary = '{"name":"count":1';
const packed = { dictionary, schema: z.object({ name: z.string(), count: z.exactOptional(z.int()) }) };

test("what was packed comes back, fields that the schema does not know included", () => {
  const value = { name: "a", count: 2, later: [1] };
  assert.deepEqual(unpackJson(packJson(value, dictionary), packed), value);
});

test("bytes that are damaged, and a record of another shape, are faults and no guess", () => {
  const bytes = packJson({ name: "a" }, dictionary);
  const fault = { code: "internal", message: /A stored record is damaged/ };
  assert.throws(() => unpackJson(bytes.subarray(1), packed), fault);
  assert.throws(() => unpackJson(new Uint8Array(), packed), fault);
  assert.throws(() => unpackJson(packJson({ name: 1 }, dictionary), packed), {
    ...fault,
    message: /schema at \/name/,
  });
});
