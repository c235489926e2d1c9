import type { InputValidator } from "./input-validator.ts";
import { polluting } from "./polluting-key.ts";
import type { Tool } from "./tool.ts";
import type { ToolFailure } from "./tool-outcome.ts";

/** An input as its tool gets it, or why it gets none. */
export type CheckedInput =
  | { readonly status: "invalid"; readonly failure: ToolFailure }
  | {
      readonly status: "valid";
      /** A copy: what a tool does to its input must not change the plan. */
      readonly input: Readonly<Record<string, unknown>>;
      /** The resource named beside the tool's own properties; where the call's workspace is. */
      readonly resource?: string;
    };

/**
 * Holds an input to its tool. Every tool may be told its `resource`; one whose schema does not declare that property (of a
 * server that knows no resources) is validated and run without it, while one that declares it gets it and decides itself.
 */
export const checkToolInput = (
  tool: Pick<Tool, "name" | "inputSchema">,
  validate: InputValidator,
  input: unknown,
): CheckedInput => {
  const invalid = (field: string, problem: string): CheckedInput => ({
    status: "invalid",
    failure: {
      code: "input_invalid",
      message: `${field === "" ? "The input" : `The input's ${field}`} of the tool ${JSON.stringify(tool.name)} ${problem}.`,
      details: { field },
    },
  });
  if (!isRecord(input)) return invalid("", "must be an object");
  const pollutes = polluting(input);
  if (pollutes !== undefined) return invalid(pollutes, "is a key that no input may have");
  const own = plainCopy(input);
  if (own === undefined) return invalid("", "must be plain JSON");
  const { resource, ...rest } = own;
  const routed = resource !== undefined && !declares(tool, "resource");
  if (routed && typeof resource !== "string") return invalid("/resource", "must be a string");
  const passed = routed ? rest : own;
  const failure = validate(passed);
  if (failure !== undefined) return { status: "invalid", failure };
  return {
    status: "valid",
    input: passed,
    ...(routed && typeof resource === "string" ? { resource } : {}),
  };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const plainCopy = (input: Readonly<Record<string, unknown>>) => {
  try {
    return structuredClone(input);
  } catch {
    return undefined;
  }
};

const declares = ({ inputSchema }: Pick<Tool, "inputSchema">, property: string): boolean =>
  isRecord(inputSchema.properties) && Object.hasOwn(inputSchema.properties, property);
