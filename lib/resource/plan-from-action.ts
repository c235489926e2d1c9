import { assertJsonValue } from "../canonical/assert-json-value.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { linearInputValidator } from "../tools/linear-pattern.ts";
import { type ActionDefinition, argumentSchema } from "./action-definition.ts";
import { templateParts } from "./action-template.ts";

/** Of the plan that comes out, as JSON: a template can use one long argument in many places. */
const maximumChars = 16 * 1024 * 1024;

/**
 * The plan document (not yet parsed) that an action makes of arguments. One pass: a value that is a placeholder alone becomes
 * the argument with its type; within other text an argument becomes text (a string as it is, anything else as JSON). What an
 * argument holds is never looked at again, and names are never replaced: no argument can add a decision, a member or a
 * placeholder. Throws a `ValidationError` (`input_invalid`) with the field below `/args` for arguments that do not fit.
 */
export const planFromAction = (order: {
  readonly action: ActionDefinition;
  readonly args: Readonly<Record<string, unknown>>;
}): Readonly<Record<string, unknown>> => {
  const args = checkedArguments(order);
  let chars = 0;
  const counted = <Value>(value: Value, text: string): Value => {
    chars += text.length;
    if (chars <= maximumChars) return value;
    throw new ValidationError({
      code: "limit_exceeded",
      field: "/args",
      message: `The plan that the action ${order.action.name} makes of these arguments is larger than ${maximumChars} characters.`,
      details: { limit: maximumChars },
    });
  };
  const substituted = (text: string): unknown => {
    const parts = templateParts(text);
    const [only, ...others] = parts;
    if (only?.kind === "argument" && others.length === 0) {
      const value = args.get(only.name);
      return counted(structuredClone(value), JSON.stringify(value));
    }
    return parts
      .map((part) => {
        const added = part.kind === "argument" ? asText(args.get(part.name)) : part.text;
        return counted(added, added);
      })
      .join("");
  };
  const filled = (value: unknown): unknown => {
    if (typeof value === "string") return substituted(value);
    if (Array.isArray(value)) return value.map(filled);
    return typeof value === "object" && value !== null ? filledMembers(value) : value;
  };
  const filledMembers = (members: object): Readonly<Record<string, unknown>> =>
    Object.fromEntries(Object.entries(members).map(([key, member]) => [key, filled(member)]));
  return filledMembers(order.action.plan);
};

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const checkedArguments = ({
  action,
  args,
}: {
  readonly action: ActionDefinition;
  readonly args: Readonly<Record<string, unknown>>;
}): ReadonlyMap<string, unknown> => {
  assertJsonValue({ args }, { maxDepth: 64 });
  const refuse = (field: string, message: string) =>
    new ValidationError({
      code: "input_invalid",
      field: `/args${field}`,
      message,
      details: { action: action.name },
    });
  const given = withDefaults(action, args);
  const validate = linearInputValidator({ name: action.name, inputSchema: action.arguments, noun: "action" });
  const failure = validate(given);
  if (failure === undefined) return new Map(Object.entries(given));
  const field = failure.details?.field;
  throw refuse(typeof field === "string" ? field : "", failure.message);
};

const withDefaults = (
  action: ActionDefinition,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const { properties } = action.arguments;
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const defaults = names.flatMap((name) => {
    const value = Object.hasOwn(args, name) ? undefined : argumentSchema(action, name)?.default;
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...args, ...Object.fromEntries(defaults) };
};
