import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { validationIssues } from "./validation-issue.ts";

const messageFor = (schema: z.ZodMiniType, value: unknown): string | undefined => {
  const { error } = z.safeParse(schema, value);
  assert.ok(error !== undefined, "the schema refuses the value");
  return validationIssues(error.issues, { value, schema })[0]?.message;
};

test("what is too small is told by what it is", () => {
  assert.equal(messageFor(z.int().check(z.minimum(1)), 0), "must be at least 1");
  assert.equal(messageFor(z.string().check(z.minLength(1)), ""), "must have at least 1 character");
  assert.equal(messageFor(z.string().check(z.minLength(2)), ""), "must have at least 2 characters");
  assert.equal(messageFor(z.array(z.int()).check(z.minLength(1)), []), "must have at least 1 element");
});

test("a number that came as text is told as a number when it is too large", () => {
  const limit = z.pipe(
    z.transform((value) => Number(value)),
    z.int().check(z.maximum(200)),
  );
  assert.equal(messageFor(limit, "100000"), "is beyond the limit of 200 (found 100000)");
  assert.equal(
    messageFor(z.string().check(z.maxLength(2)), "100"),
    "is beyond the limit of 2 characters (found 3)",
  );
});
