import type { ErrorObject } from "ajv";
import { jsonPointer } from "../canonical/json-pointer.ts";
import type { Tool } from "./tool.ts";
import type { ToolFailure } from "./tool-outcome.ts";

/** What takes an input by a schema: a tool, or an action with its arguments. */
export type Validated = Pick<Tool, "name" | "inputSchema"> & { readonly noun?: "tool" | "action" };

/** What `input_invalid` says: the JSON pointer to the place in the input, what is wrong there, and what is allowed. */
export const inputFailure = (
  tool: Validated,
  error: Pick<ErrorObject, "keyword" | "instancePath" | "params" | "message">,
): ToolFailure => {
  const { field, problem, allowed } = explain(tool, error);
  const noun = tool.noun ?? "tool";
  const [whole, place] =
    noun === "tool"
      ? ["The input", `The input's ${field}`]
      : ["The argument object", `The argument ${field}`];
  const what = field === "" ? whole : place;
  return {
    code: "input_invalid",
    message: `${what} of the ${noun} ${JSON.stringify(tool.name)} ${problem}${allowed === undefined ? "" : `; allowed: ${allowed.join(", ")}`}.`,
    details: {
      field,
      keyword: error.keyword,
      ...(allowed === undefined ? {} : { allowed }),
    },
  };
};

interface Explanation {
  readonly field: string;
  readonly problem: string;
  readonly allowed?: readonly string[];
}

const explain = (
  tool: Pick<Tool, "inputSchema">,
  error: Pick<ErrorObject, "keyword" | "instancePath" | "params" | "message">,
): Explanation => {
  const { instancePath, params } = error;
  const below = (name: unknown): string => instancePath + jsonPointer([String(name)]);
  switch (error.keyword) {
    case "required":
      return { field: below(params.missingProperty), problem: "is missing" };
    case "additionalProperties":
    case "unevaluatedProperties": {
      const field = below(params.additionalProperty ?? params.unevaluatedProperty);
      const allowed = instancePath === "" ? topProperties(tool.inputSchema) : undefined;
      return { field, problem: "is not known to it", ...(allowed === undefined ? {} : { allowed }) };
    }
    case "enum":
      return { field: instancePath, problem: "is none of its values", allowed: shown(params.allowedValues) };
    case "const":
      return { field: instancePath, problem: "has another value", allowed: shown([params.allowedValue]) };
    default:
      return { field: instancePath, problem: error.message ?? "is not valid" };
  }
};

const topProperties = (schema: Tool["inputSchema"]): readonly string[] | undefined =>
  typeof schema.properties === "object" && schema.properties !== null
    ? Object.keys(schema.properties)
    : undefined;

const shown = (values: unknown): readonly string[] =>
  Array.isArray(values) ? values.slice(0, 50).map((value) => JSON.stringify(value)) : [];
