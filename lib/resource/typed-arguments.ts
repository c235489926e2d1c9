import { ValidationError } from "../errors/planledger-error.ts";
import { type ActionDefinition, argumentSchema } from "./action-definition.ts";

/**
 * Arguments that somebody typed as text, in the types that the action's schema gives them: a string as it is; numbers,
 * booleans, `null`, lists and objects as JSON; a list also by giving its name several times. Where the schema names no type, lists
 * and objects in JSON are those, and all else is text. Only the types are looked at:
 * whether the values fit is for `planFromAction`. Throws a `ValidationError` whose field is the argument's name.
 */
export const typedArguments = (
  action: Pick<ActionDefinition, "name" | "arguments">,
  texts: readonly (readonly [name: string, text: string])[],
): Readonly<Record<string, unknown>> => {
  const byName = Map.groupBy(texts, ([name]) => name);
  return Object.fromEntries(
    [...byName].map(([name, given]) => [
      name,
      typed(
        action,
        name,
        given.map(([, text]) => text),
      ),
    ]),
  );
};

const typed = (
  action: Pick<ActionDefinition, "name" | "arguments">,
  name: string,
  texts: readonly string[],
): unknown => {
  const schema = argumentSchema(action, name);
  if (schema === undefined) {
    const { properties } = action.arguments;
    const known = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
    throw refusal(
      name,
      `is no argument of the action ${action.name}; it takes ${known.join(", ") || "none"}`,
    );
  }
  const [text = "", ...further] = texts;
  const types = typesOf(schema);
  if (further.length > 0 || (types.includes("array") && !text.trimStart().startsWith("["))) {
    if (!types.includes("array")) throw refusal(name, "is given more than once, and is no list");
    const { items } = schema;
    return texts.map((element) => typedValue(name, element, typesOf(isRecord(items) ? items : {})));
  }
  return typedValue(name, text, types);
};

const typedValue = (name: string, text: string, types: readonly string[]): unknown => {
  const others = types.filter((type) => type !== "string");
  if (types.length === 0) return parsedAs(text, ["array", "object"]) ?? text;
  const value = others.length === 0 ? text : parsedAs(text, others);
  if (value !== undefined) return value;
  if (types.includes("string")) return text;
  throw refusal(
    name,
    `is ${JSON.stringify(text)}, and must be of the type ${types.join(" or ")}, written as JSON`,
  );
};

const parsedAs = (text: string, types: readonly string[]): unknown => {
  try {
    const value: unknown = JSON.parse(text);
    return types.includes(typeOf(value)) || (typeof value === "number" && types.includes("number"))
      ? value
      : undefined;
  } catch {
    return undefined;
  }
};

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
};

/** The types that a schema names, or those of its values where it lists them. */
const typesOf = ({ type, enum: values }: Readonly<Record<string, unknown>>): readonly string[] => {
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((entry) => typeof entry === "string");
  return Array.isArray(values) ? [...new Set(values.map(typeOf))] : [];
};

const refusal = (name: string, problem: string) =>
  new ValidationError({ code: "input_invalid", field: name, message: `The argument ${name} ${problem}.` });

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
