import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { ValidationError } from "../errors/planledger-error.ts";
import { inputFailure, type Validated } from "./input-failure.ts";
import type { Tool } from "./tool.ts";
import type { ToolFailure } from "./tool-outcome.ts";

/** Compiled once; the failure that a tool input is answered with, or `undefined` when it is fine. */
export type InputValidator = (input: Readonly<Record<string, unknown>>) => ToolFailure | undefined;

/**
 * MCP servers hand out schemas with unknown keywords and formats, so nothing is strict; an input is never changed (no
 * defaults, no coercion), and only its own properties count, so that nothing inherited satisfies `required`.
 */
const options: Options = {
  strict: false,
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  validateFormats: false,
  // Done by hand, for the schemas that need it.
  validateSchema: false,
  ownProperties: true,
  addUsedSchema: false,
  logger: false,
};

/** What makes a matcher of a schema's `pattern`. Its `toString` must tell patterns apart. */
export type PatternEngine = NonNullable<NonNullable<Options["code"]>["regExp"]>;

const compilers = (make: (options: Options) => Ajv): ((patterns?: PatternEngine) => Ajv) => {
  const made = new Map<PatternEngine | undefined, Ajv>();
  return (patterns) => {
    const known =
      made.get(patterns) ??
      make(patterns === undefined ? options : { ...options, code: { regExp: patterns } });
    made.set(patterns, known);
    return known;
  };
};

const dialects: readonly { readonly uri: RegExp; readonly ajv: (patterns?: PatternEngine) => Ajv }[] = [
  {
    uri: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/,
    ajv: compilers((settings) => new Ajv2020(settings)),
  },
  {
    uri: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/,
    ajv: compilers((settings) => new Ajv(settings)),
  },
];

/** Schemas written in this repository, which its tests hold to their metaschema: they are compiled at their first use. */
const vetted = new WeakSet<object>();

export const vettedSchema = (schema: Tool["inputSchema"]): Tool["inputSchema"] => {
  vetted.add(schema);
  return schema;
};

/**
 * The validator of a tool's input schema (draft 2020-12 unless `$schema` says draft-07). Throws a `ValidationError` that
 * names the tool and the place when the schema is none, refers to another document or describes no object. Patterns are
 * JavaScript's unless another engine is given.
 */
export const inputValidator = (tool: Validated, patterns?: PatternEngine): InputValidator => {
  const compiled = once(() => compile(tool, patterns));
  if (!vetted.has(tool.inputSchema)) compiled();
  return (input) => {
    const validate = compiled();
    return validate(input) ? undefined : inputFailure(tool, firstError(validate.errors));
  };
};

const compile = (
  { name, inputSchema, noun = "tool" }: Validated,
  patterns?: PatternEngine,
): ValidateFunction => {
  const refuse = (message: string, cause?: unknown): ValidationError =>
    new ValidationError({
      field: "inputSchema",
      message: `The input schema of the ${noun} ${JSON.stringify(name)} ${message}`,
      details: { tool: name },
      cause,
    });
  if (typeof inputSchema !== "object" || inputSchema === null || Array.isArray(inputSchema)) {
    throw refuse("is not a JSON object.");
  }
  if (inputSchema.type !== "object") {
    throw refuse(`must have "type": "object" at its top: ${noun}s take objects.`);
  }
  if ("$async" in inputSchema) throw refuse("is asynchronous ($async); leave that out.");
  const uri = inputSchema.$schema ?? "https://json-schema.org/draft/2020-12/schema";
  const dialect = dialects.find((candidate) => typeof uri === "string" && candidate.uri.test(uri));
  if (dialect === undefined) {
    throw refuse(`has the unknown $schema ${JSON.stringify(uri)}; allowed are draft 2020-12 and draft-07.`);
  }
  const ajv = dialect.ajv(patterns);
  if (!vetted.has(inputSchema) && ajv.validateSchema(inputSchema) !== true) {
    throw refuse(`is no valid JSON Schema: ${ajv.errorsText(ajv.errors, { dataVar: "inputSchema" })}.`);
  }
  const { $schema: _, ...schema } = inputSchema;
  try {
    const validate = ajv.compile(schema);
    // The compiler keeps all that it ever compiled, for as long as the process lives.
    ajv.removeSchema(schema);
    return validate;
  } catch (cause) {
    throw refuse(`cannot be compiled: ${cause instanceof Error ? cause.message : String(cause)}.`, cause);
  }
};

const firstError = (errors: readonly ErrorObject[] | null | undefined): ErrorObject =>
  errors?.[0] ?? { keyword: "", instancePath: "", schemaPath: "", params: {} };

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
