import * as z from "zod/mini";
import { assertJsonValue } from "../canonical/assert-json-value.ts";
import { jsonPointer } from "../canonical/json-pointer.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { type ValidationIssue, validationErrorOf, validationIssues } from "../errors/validation-issue.ts";
import { linearInputValidator } from "../tools/linear-pattern.ts";
import { templateParts, visitStrings } from "./action-template.ts";
import { partItem } from "./item-definition.ts";

/**
 * An action: a plan with places for arguments. `arguments` is a JSON Schema of the object of arguments; `plan` is a plan
 * document in whose string values `${{ args.NAME }}` stands for an argument. Without `arguments` it takes none.
 */
export const actionDefinition = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(256)),
  title: z.optional(z.string().check(z.maxLength(512))),
  description: z.optional(z.string().check(z.maxLength(64 * 1024))),
  arguments: z._default(z.record(z.string(), z.unknown()), {
    type: "object",
    properties: {},
    additionalProperties: false,
  }),
  plan: z.record(z.string(), z.unknown()),
});

export type ActionDefinition = z.infer<typeof actionDefinition>;

const maxListed = 20;

/**
 * Reads an action (parsed JSON or YAML). Throws a `ValidationError` whose `field` is the JSON pointer of the first issue.
 * Beyond the schema: the arguments' schema can be compiled, and every argument that the template uses is declared there and
 * either required or has a default, so that a template never lacks one.
 */
export const parseActionDefinition = (value: unknown): ActionDefinition => {
  assertJsonValue(value, { maxDepth: 64 });
  const parsed = z.safeParse(actionDefinition, withoutEmptyArguments(value));
  if (!parsed.success) throw validationErrorOf(validationIssues(parsed.error.issues, { value }), maxListed);
  checkSchema(parsed.data);
  const issues = templateIssues(parsed.data);
  if (issues.length > 0) throw validationErrorOf(issues, maxListed);
  return parsed.data;
};

/** `arguments: {}` says that it takes none, as leaving them out does. */
const withoutEmptyArguments = (value: unknown): unknown => {
  if (!isRecord(value) || !isRecord(value.arguments) || Object.keys(value.arguments).length > 0) return value;
  const { arguments: _, ...others } = value;
  return others;
};

/** The definition in a synced action as the sync carries it. */
export const actionDefinitionOfItem = (item: unknown): ActionDefinition =>
  parseActionDefinition(partItem(item).definition);

/** The schema of one argument, or nothing for one that is not declared. */
export const argumentSchema = (
  action: Pick<ActionDefinition, "arguments">,
  name: string,
): Readonly<Record<string, unknown>> | undefined => {
  const { properties } = action.arguments;
  if (!isRecord(properties) || !Object.hasOwn(properties, name)) return undefined;
  const schema = properties[name];
  return isRecord(schema) ? schema : {};
};

const templateIssues = (action: ActionDefinition): readonly ValidationIssue[] => {
  const issues: ValidationIssue[] = [];
  const required: unknown = action.arguments.required;
  visitStrings(action.plan, ({ text, path, isKey }) => {
    const add = (message: string) =>
      issues.push({ field: jsonPointer(["plan", ...path]), code: "validation_failed", message });
    for (const part of templateParts(text)) {
      if (part.kind === "text") continue;
      if (isKey) {
        add("is a name with a placeholder in it, and names are never replaced");
      } else if (part.kind === "broken") {
        add(
          `holds ${JSON.stringify(part.text.slice(0, 80))}, which is no placeholder; allowed is \${{ args.NAME }}, and $\${{ for the text itself`,
        );
      } else if (argumentSchema(action, part.name) === undefined) {
        add(`uses the argument ${part.name}, which /arguments/properties does not declare`);
      } else if (
        !(Array.isArray(required) && required.includes(part.name)) &&
        argumentSchema(action, part.name)?.default === undefined
      ) {
        add(`uses the argument ${part.name}, which is neither required nor has a default`);
      }
    }
  });
  return issues;
};

const checkSchema = (action: ActionDefinition): void => {
  try {
    linearInputValidator({ name: action.name, inputSchema: action.arguments, noun: "action" });
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError({
      field: "/arguments",
      message: error.message,
      details: { action: action.name },
      cause: error,
    });
  }
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
