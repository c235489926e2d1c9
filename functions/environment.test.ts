import assert from "node:assert/strict";
import { test } from "node:test";
import { readEnvironment, tableEnvironment } from "./environment.ts";

test("a variable that is empty is not set: some endpoints give functions an empty session token", () => {
  const settings = readEnvironment(tableEnvironment, {
    TABLE_NAME: "planledger",
    AWS_SESSION_TOKEN: "",
    AWS_REGION: "",
  });
  assert.equal(settings.AWS_SESSION_TOKEN, undefined);
  assert.equal(settings.AWS_REGION, "us-east-1");
});

test("what is missing is named, an empty one too; no value is shown", () => {
  for (const environment of [{}, { TABLE_NAME: "" }]) {
    assert.throws(() => readEnvironment(tableEnvironment, environment), {
      code: "validation_failed",
      message: "Environment variables are missing or wrong: TABLE_NAME.",
    });
  }
});
