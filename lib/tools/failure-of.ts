import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import { ToolError } from "./tool-error.ts";
import type { ToolFailure } from "./tool-outcome.ts";

const maxMessageChars = 4096;
const maxDetailsChars = 16_384;

/**
 * What a tool threw, as the failure of its call: a Planledger error under its own code, anything else as `tool_failed` with
 * its message and never its stack. A fault of the infrastructure is no outcome of the work and is thrown again.
 */
export const failureOf = (
  thrown: unknown,
  tool: string,
): { failure: ToolFailure; output: string | Uint8Array } => {
  if (thrown instanceof InfrastructureError) throw thrown;
  if (thrown instanceof PlanledgerError) {
    return {
      failure: toolFailure({ code: thrown.code, message: thrown.message, details: thrown.details }),
      output: thrown instanceof ToolError ? thrown.output : "",
    };
  }
  return {
    failure: toolFailure({
      code: "tool_failed",
      message: `The tool ${JSON.stringify(tool)} failed: ${messageOf(thrown)}`,
    }),
    output: "",
  };
};

/** A failure that every store can keep: a bounded, well-formed message, and details only where they are plain JSON. */
export const toolFailure = (failure: ToolFailure): ToolFailure => {
  const details = plainDetails(failure.details);
  return {
    code: failure.code,
    message: bounded(failure.message),
    ...(details === undefined ? {} : { details }),
  };
};

const bounded = (message: string): string =>
  (message.length > maxMessageChars ? `${message.slice(0, maxMessageChars)}…` : message).toWellFormed();

/** A thrown value can be anything, one whose own `message` or `toString` throws included. */
const messageOf = (thrown: unknown): string => {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return "it threw a value that cannot be shown.";
  }
};

const plainDetails = (details: ToolFailure["details"]): ToolFailure["details"] => {
  if (details === undefined || Object.keys(details).length === 0) return undefined;
  try {
    const text = JSON.stringify(details, (_key, value: unknown) =>
      typeof value === "string" ? value.toWellFormed() : value,
    );
    if (text.length > maxDetailsChars) return undefined;
    const plain: unknown = JSON.parse(text);
    return typeof plain === "object" && plain !== null && !Array.isArray(plain) ? { ...plain } : undefined;
  } catch {
    return undefined;
  }
};
