import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

const refused = (error: unknown) => error instanceof ValidationError && error.field === "cursor";

test("a cursor gives back its position to its own listing only", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), (listing, position) => {
      const cursor = encodeCursor(listing, position);
      assert.match(cursor, /^[A-Za-z0-9_-]+$/);
      assert.equal(decodeCursor(cursor, listing, z.int()), position);
      assert.throws(() => decodeCursor(cursor, `${listing}x`, z.int()), refused);
      assert.throws(() => decodeCursor(cursor, listing, z.string()), refused);
    }),
  );
});

test("whatever else is given as a cursor is refused by name, never a crash", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.throws(() => decodeCursor(text, "plans", z.string()), refused);
    }),
  );
});
