import assert from "node:assert/strict";
import { test } from "node:test";
import { InfrastructureError, ValidationError } from "../errors/planledger-error.ts";
import { faultFields } from "./fault-fields.ts";

const thrown = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  assert.fail("it throws");
};

test("what a caller sent stands in no log, though errors quote it: in their message, their cause, their stack", () => {
  const quoting = [
    new Error("hunter2", { cause: new Error("hunter2") }),
    thrown(() => JSON.parse('{"password": hunter2}')),
    thrown(() => new URL("hunter2")),
    thrown(() => Buffer.from("x").writeUInt8(1, Number("-1"))),
    new ValidationError({ field: "name", message: 'The name "hunter2" is taken.' }),
    "hunter2",
  ];
  for (const error of quoting) {
    const fields = faultFields(error);
    assert.doesNotMatch(JSON.stringify(fields), /hunter2/);
    assert.ok(fields.error !== undefined);
    if (error instanceof Error) assert.match(fields.stack ?? "", /^ {4}at .*fault-fields\.test/m);
  }
});

test("what failed of the infrastructure, or of our own code, is told", () => {
  const throttled = Object.assign(new Error("Rate exceeded"), { name: "ThrottlingException", $metadata: {} });
  const outage = new InfrastructureError({ message: "The table does not answer.", cause: throttled });
  assert.deepEqual(
    { ...faultFields(outage), stack: "" },
    {
      error: "InfrastructureError",
      message: "The table does not answer.",
      code: outage.code,
      cause: "ThrottlingException: Rate exceeded",
      stack: "",
    },
  );
  const nothing: { readonly plan?: { readonly id: string } } = JSON.parse("{}");
  const bug = thrown(() => Reflect.get(Object(Reflect.get(nothing, "plan")), "id").length);
  assert.match(faultFields(bug).message ?? "", /undefined/);
});
