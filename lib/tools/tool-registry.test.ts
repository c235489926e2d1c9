import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ConflictError, ValidationError } from "../errors/planledger-error.ts";
import { builtinTools } from "./builtin/builtin-tools.ts";
import type { Tool } from "./tool.ts";
import { ToolRegistry } from "./tool-registry.ts";

const tool = (overrides: Partial<Tool> = {}): Tool => ({
  name: "echo",
  description: "",
  inputSchema: { type: "object" },
  effect: "read",
  run: async () => ({ output: "" }),
  ...overrides,
});

describe("ToolRegistry", () => {
  it("gives tools by name and lists them in their order", () => {
    const registry = new ToolRegistry([tool({ name: "b" })]).register(tool({ name: "a" }));
    assert.equal(registry.get("a")?.name, "a");
    assert.equal(registry.get("none"), undefined);
    assert.equal(registry.get("__proto__"), undefined);
    assert.deepEqual(
      registry.list().map(({ name }) => name),
      ["b", "a"],
    );
  });

  it("refuses a name twice", () => {
    assert.throws(() => new ToolRegistry([tool(), tool()]), ConflictError);
    const below = new ToolRegistry([tool()]);
    assert.throws(() => new ToolRegistry([tool()], { below }), ConflictError);
  });

  it("lays tools over a registry, which stays as it is; ids of synced tools are names too", () => {
    const below = new ToolRegistry([tool({ name: "a" })]);
    const above = new ToolRegistry([tool({ name: "local/böse-ä" })], { below });
    assert.deepEqual(
      above.list().map(({ name }) => name),
      ["a", "local/böse-ä"],
    );
    assert.ok(above.registered("a") !== undefined && above.get("local/böse-ä") !== undefined);
    assert.equal(below.get("local/böse-ä"), undefined);
  });

  for (const name of ["", "a b", "-a", ".a", "a/b/c", "/b", "a/", "é", "x".repeat(129)]) {
    it(`refuses the name ${JSON.stringify(name.slice(0, 10))}`, () => {
      assert.throws(
        () => new ToolRegistry([tool({ name })]),
        (error) => error instanceof ValidationError && error.field === "name",
      );
    });
  }

  const badSchemas: readonly (readonly [string, Tool["inputSchema"], RegExp])[] = [
    ["no object at its top", { type: "string" }, /"type": "object"/],
    ["an unknown type", { type: "object", properties: { a: { type: "strnig" } } }, /no valid JSON Schema/],
    [
      "a reference to another document",
      { type: "object", $ref: "https://example.com/x" },
      /cannot be compiled/,
    ],
    ["an unknown dialect", { type: "object", $schema: "https://example.com/mine" }, /2020-12 and draft-07/],
    ["a broken pattern", { type: "object", properties: { a: { pattern: "(" } } }, /./],
    ["asynchronous validation", { type: "object", $async: true }, /asynchronous/],
  ];
  for (const [what, inputSchema, message] of badSchemas) {
    it(`refuses a schema with ${what}, when it is registered`, () => {
      assert.throws(
        () => new ToolRegistry([tool({ inputSchema })]),
        (error) =>
          error instanceof ValidationError && error.field === "inputSchema" && message.test(error.message),
      );
    });
  }

  it("takes schemas as MCP servers write them: unknown keywords and formats, draft-07, one $id twice", () => {
    const inputSchema = {
      $id: "https://example.com/same",
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: { when: { type: "string", format: "made-up", "x-order": 1 } },
      definitions: { a: { type: "string" } },
    };
    const registry = new ToolRegistry([
      tool({ name: "a", inputSchema }),
      tool({ name: "b", inputSchema: { ...inputSchema } }),
      tool({ name: "c", inputSchema: { type: "object", prefixItems: [{}], $defs: {} } }),
    ]);
    assert.equal(registry.registered("a")?.validate({ when: "any" }), undefined);
    assert.equal(registry.registered("a")?.validate({ when: 1 })?.code, "input_invalid");
  });

  it("takes nothing that every object inherits for a property of the input", () => {
    const inputSchema = { type: "object", required: ["constructor"] };
    const registered = new ToolRegistry([tool({ inputSchema })]).registered("echo");
    assert.equal(registered?.validate({})?.code, "input_invalid");
    assert.equal(registered?.validate({ constructor: 1 }), undefined);
  });

  it("has built-in tools whose schemas, compiled unchecked, are valid and closed", () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const { name, inputSchema } of builtinTools()) {
      assert.equal(ajv.validateSchema(inputSchema), true, name);
      ajv.compile(inputSchema);
      assert.equal(inputSchema.additionalProperties, false, name);
    }
  });
});
