import { assertJsonValue } from "../../canonical/assert-json-value.ts";
import { ValidationError } from "../../errors/planledger-error.ts";
import { type ValidationIssue, validationErrorOf, validationIssues } from "../../errors/validation-issue.ts";
import { linearInputValidator } from "../linear-pattern.ts";
import { type ToolDefinition, toolDefinition } from "./tool-definition.ts";

/** Of a definition as JSON; the whole record of a tool stays far below what a stored item holds. */
const maximumBytes = 128 * 1024;

/**
 * Reads a tool definition (parsed JSON or YAML). Throws a `ValidationError` whose `field` is the JSON pointer of the first
 * issue; all of them stand in `details.issues`. Beyond the schema: the input schema can be compiled, the size is limited, and
 * no fixed member of the input is one that callers are asked for.
 */
export const parseToolDefinition = (value: unknown): ToolDefinition => {
  assertJsonValue(value, { maxDepth: 64 });
  const parsed = toolDefinition.safeParse(value);
  if (!parsed.success) throw validationErrorOf(validationIssues(parsed.error.issues, { value }), 20);
  const found = Buffer.byteLength(JSON.stringify(value));
  const issues: ValidationIssue[] = [...fixedInputIssues(parsed.data)];
  if (found > maximumBytes) {
    issues.push({
      field: "",
      code: "limit_exceeded",
      message: `takes ${found} bytes of JSON; a tool definition may take ${maximumBytes}`,
      details: { limit: maximumBytes, found },
    });
  }
  if (issues.length > 0) throw validationErrorOf(issues, 20);
  checkInputSchema(parsed.data);
  return parsed.data;
};

const fixedInputIssues = ({ inputSchema, run }: ToolDefinition): readonly ValidationIssue[] => {
  const { properties } = inputSchema;
  if (typeof properties !== "object" || properties === null) return [];
  return Object.keys(run.input ?? {})
    .filter((name) => Object.hasOwn(properties, name))
    .map((name) => ({
      field: `/run/input/${name}`,
      code: "validation_failed" as const,
      message: "must not be a property of the inputSchema: callers would be asked for it, and not heard",
    }));
};

const checkInputSchema = (definition: ToolDefinition): void => {
  try {
    linearInputValidator(definition);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError({
      field: "/inputSchema",
      message: error.message,
      details: { tool: definition.name },
      cause: error,
    });
  }
};
