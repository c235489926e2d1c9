import assert from "node:assert/strict";
import { test } from "node:test";
import { ValidationError } from "../../errors/planledger-error.ts";
import { linearInputValidator } from "../linear-pattern.ts";
import { parseToolDefinition } from "./parse-tool-definition.ts";
import { toolDefinitionOfItem } from "./tool-item.ts";

const charge = {
  name: "charge",
  title: "Charge",
  description: "Charges an account.",
  inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  annotations: { destructiveHint: true },
  _meta: { id: "local/charge", version: "1.2", "example.com/owner": "billing" },
  run: {
    kind: "http",
    url: "https://api.example.com/charge",
    headers: { Authorization: "Bearer secret:API_TOKEN" },
    input: { account: "main" },
    timeLimitMs: 10_000,
    idempotent: true,
  },
};
const mcp = { ...charge, run: { kind: "mcp", url: "http://mcp.example.com/mcp", tool: "charge-account" } };

test("a tool of MCP's listing with how to run it is read as it is", () => {
  assert.deepEqual(parseToolDefinition(charge), charge);
  assert.deepEqual(parseToolDefinition(mcp), mcp);
});

test("a synced item is read as a definition: its id and version stand in _meta", () => {
  const { _meta, ...rest } = charge;
  const item = { ...rest, id: "local/charge", version: "2", metadata: { owner: "x" } };
  assert.deepEqual(toolDefinitionOfItem(item), { ...rest, _meta: { id: "local/charge", version: "2" } });
  assert.deepEqual(toolDefinitionOfItem(charge), charge);
});

const run = (change: object) => ({ ...charge, run: { ...charge.run, ...change } });
const cases: readonly (readonly [string, object, string])[] = [
  ["an unknown field", { ...charge, effect: "read" }, "/effect"],
  ["an unknown field of how to run it", run({ method: "GET" }), "/run/method"],
  ["a field of the other kind", run({ tool: "x" }), "/run/tool"],
  ["an unknown kind", { ...charge, run: { kind: "shell", command: "rm" } }, "/run/kind"],
  ["no way to run it", { ...charge, run: undefined }, "/run"],
  ["no description", { ...charge, description: undefined }, "/description"],
  ["a name that no call can use", { ...charge, name: "a b" }, "/name"],
  ["another protocol", run({ url: "file:///etc/passwd" }), "/run/url"],
  ["a relative address", run({ url: "/charge" }), "/run/url"],
  ["credentials in the address", run({ url: "https://u:p@example.com/" }), "/run/url"],
  ["a fragment", run({ url: "https://example.com/#x" }), "/run/url"],
  [
    "a header of the service's own",
    run({ headers: { "Idempotency-Key": "1" } }),
    "/run/headers/Idempotency-Key",
  ],
  ["a Host header", run({ headers: { host: "x" } }), "/run/headers/host"],
  ["a header with a line break", run({ headers: { "X-A": "a\r\nX-B: b" } }), "/run/headers/X-A"],
  ["too long a time limit", run({ timeLimitMs: 46_000 }), "/run/timeLimitMs"],
  ["too large an answer", run({ maxResponseBytes: 5_000_000 }), "/run/maxResponseBytes"],
  ["a fixed input that callers are asked for", run({ input: { amount: 1 } }), "/run/input/amount"],
  [
    "an input schema that is none",
    { ...charge, inputSchema: { type: "object", required: 1 } },
    "/inputSchema",
  ],
  ["an id without a namespace", { ...charge, _meta: { id: "charge" } }, "/_meta/id"],
  ["a description beyond all bounds", { ...charge, outputSchema: { x: "x".repeat(140_000) } }, ""],
];
for (const [what, value, field] of cases) {
  test(`a definition with ${what} is refused with the pointer ${JSON.stringify(field)}`, () => {
    assert.throws(
      () => parseToolDefinition(JSON.parse(JSON.stringify(value))),
      (error) => {
        assert.ok(error instanceof ValidationError);
        assert.equal(error.field, field, error.message);
        return true;
      },
    );
  });
}

test("patterns of a synced schema take linear time, and one that cannot is refused with its pointer", () => {
  const inputSchema = {
    type: "object",
    properties: { a: { type: "string", pattern: "^(a+)+$" }, b: { pattern: "^b$" } },
  };
  const definition = parseToolDefinition({ ...charge, inputSchema });
  const validate = linearInputValidator(definition);
  assert.equal(validate({ a: "a".repeat(100_000) }), undefined);
  assert.equal(validate({ a: `${"a".repeat(100_000)}b` })?.code, "input_invalid");
  assert.equal(validate({ b: "a" })?.code, "input_invalid");
  assert.throws(
    () =>
      parseToolDefinition({
        ...charge,
        inputSchema: { type: "object", properties: { a: { pattern: "(?=x)" } } },
      }),
    (error) => error instanceof ValidationError && error.field === "/inputSchema",
  );
});
