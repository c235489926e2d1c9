import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as z from "zod/mini";
import { openApiDocument } from "./openapi.ts";
import { routes } from "./routes.ts";

const operation = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.string(), schema: z.unknown() })),
  requestBody: z.optional(z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) })),
  responses: z.record(
    z.string(),
    z.object({ content: z.optional(z.record(z.string(), z.object({ schema: z.optional(z.unknown()) }))) }),
  ),
});
const document = z.parse(
  z.object({
    openapi: z.string(),
    paths: z.record(z.string(), z.record(z.string(), operation)),
    components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  }),
  JSON.parse(JSON.stringify(await openApiDocument(routes, "1.2.3"))),
);

const operationOf = (id: string) => {
  const found = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .find(({ operationId }) => operationId === id);
  assert.ok(found, id);
  return found;
};

test("every route stands in the OpenAPI document under its path and method, and nothing else does", () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(documented.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort());
  assert.equal(document.openapi, "3.1.0");
});

test("every path parameter of a template is declared", () => {
  for (const route of routes) {
    const declared = operationOf(route.id).parameters.filter((parameter) => parameter.in === "path");
    const wanted = [...route.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
    assert.deepEqual(
      declared.map(({ name }) => name),
      wanted,
      route.id,
    );
  }
});

test("every schema in the document is valid JSON Schema", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const schemas = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ requestBody, responses, parameters }) => [
      ...Object.values(requestBody?.content ?? {}).map(({ schema }) => schema),
      ...parameters.map(({ schema }) => schema),
      ...Object.values(responses).flatMap(({ content }) =>
        Object.values(content ?? {}).flatMap(({ schema }) => schema ?? []),
      ),
    ]);
  assert.ok(schemas.length > 60);
  for (const schema of schemas) {
    const inline = JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/Problem", "#"));
    assert.ok(ajv.validateSchema(inline), JSON.stringify(ajv.errors));
  }
});

test("the schema of a plan takes a plan and a reference, and refuses what the service refuses", () => {
  const schema = operationOf("plans.execute").requestBody?.content["application/json"]?.schema;
  assert.ok(typeof schema === "object" && schema !== null);
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
  assert.ok(validate({ decisions: [{ id: "d1", toolCalls: [{ tool: "write_file", input: {} }] }] }));
  assert.ok(validate({ contentSha256: "a".repeat(64) }));
  assert.ok(!validate({ decisions: [{ id: "d1", surprise: true }] }));
  assert.ok(!validate({}));
});

test("a limit is documented as an integer with its bounds", () => {
  const limit = operationOf("plans.list").parameters.find(({ name }) => name === "limit");
  assert.deepEqual(limit?.schema, { type: "integer", minimum: 1, maximum: 100 });
});

test("every route that takes a token can answer 429 with Retry-After, and no other", async () => {
  const whole = JSON.stringify(await openApiDocument(routes, "1.2.3"));
  const { paths } = z.parse(
    z.object({
      paths: z.record(
        z.string(),
        z.record(
          z.string(),
          z.object({
            operationId: z.string(),
            responses: z.record(
              z.string(),
              z.object({ headers: z.optional(z.record(z.string(), z.unknown())) }),
            ),
          }),
        ),
      ),
    }),
    JSON.parse(whole),
  );
  const limited = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ responses }) => responses["429"]?.headers?.["Retry-After"] !== undefined);
  assert.deepEqual(
    limited.map(({ operationId }) => operationId).sort(),
    routes.flatMap(({ id, scope }) => (scope === "none" ? [] : [id])).sort(),
  );
});
