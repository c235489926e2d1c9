import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCallResources } from "./check-call-resources.ts";
import { parsePlanDocument } from "./parse-plan-document.ts";
import { toolNames } from "./tool-names.ts";

const check = (projectResources: object, input: object, tool = "write_file") =>
  checkCallResources(
    parsePlanDocument({
      projectResources,
      resourceBindings: Object.keys(projectResources).includes("app") ? { repo: "app" } : {},
      decisions: [{ id: "a" }, { id: "b", toolCalls: [{ tool, input }] }],
    }),
    { usesWorkspace: (name) => name !== "http_post" },
  );

const one = { app: {} };
const two = { app: { access: "write" }, lib: {} };
const field = "/decisions/1/toolCalls/0/input/resource";

test("a call names its resource when the plan has more than one", () => {
  assert.throws(() => check(two, {}), {
    code: "validation_failed",
    field,
    message: /more than one resource \(one of 'app', 'lib', 'repo'\)/,
  });
  assert.doesNotThrow(() => check(one, {}));
  assert.doesNotThrow(() => check({}, {}));
});

test("a call names a resource or a binding of the plan", () => {
  for (const resource of ["app", "lib", "repo"]) assert.doesNotThrow(() => check(two, { resource }));
  assert.doesNotThrow(() => check({}, { resource: "workspace" }));
  for (const resource of ["other", "constructor", ""]) {
    assert.throws(() => check(two, { resource }), { code: "unknown_resource", field });
    assert.throws(() => check(one, { resource }), { code: "unknown_resource", field });
  }
});

test("what an external tool calls a resource is not looked at", () => {
  assert.doesNotThrow(() => check(two, {}, "http_post"));
  assert.doesNotThrow(() => check(two, { resource: "anything" }, "http_post"));
});

test("the tools of a plan are listed once, each with the place of its first use", () => {
  const call = (tool: string) => ({ tool, input: {} });
  const document = parsePlanDocument({
    decisions: [
      { id: "a" },
      { id: "b", toolCalls: [call("x"), call("y")] },
      { id: "c", toolCalls: [call("y"), call("z"), call("x")] },
    ],
  });
  assert.deepEqual(
    [...toolNames(document)],
    [
      ["x", "/decisions/1/toolCalls/0/tool"],
      ["y", "/decisions/1/toolCalls/1/tool"],
      ["z", "/decisions/2/toolCalls/1/tool"],
    ],
  );
});
