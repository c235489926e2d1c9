import { ownCause } from "../../outbound/outbound-error.ts";
import { ToolError } from "../tool-error.ts";
import type { Redaction } from "./redaction.ts";

/**
 * What went wrong in a call, as a tool's failure without a trace of a secret. An error that nobody here raised is
 * `external_outcome_unknown`: the connection broke or the other side spoke nonsense, and it may have acted on the call.
 */
export const externalFailure = (
  error: unknown,
  { tool, redaction }: { readonly tool: string; readonly redaction: Redaction },
): ToolError => {
  const own = ownCause(error);
  if (own === undefined) {
    return new ToolError({
      code: "external_outcome_unknown",
      message: redaction.text(
        `The call of the tool ${JSON.stringify(tool)} broke off (${reasonOf(error)}). Whether the other side acted on it is not known.`,
      ),
    });
  }
  const output = own instanceof ToolError ? own.output : "";
  return new ToolError({
    code: own.code,
    message: redaction.text(own.message),
    details: detailsOf(redaction.json(own.details)),
    output: redaction.bytes(typeof output === "string" ? Buffer.from(output) : output),
  });
};

const detailsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

const reasonOf = (error: unknown): string => {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1) {
    if ("code" in cause && typeof cause.code === "string") return `${cause.code}: ${cause.message}`;
    if (cause.cause === undefined) return cause.message;
  }
  return String(error);
};

/** The other side wants the call made elsewhere. A redirect could lead anywhere, with the call's secrets. */
export const redirectRefused = (status: number, location: string | undefined): ToolError =>
  new ToolError({
    code: "redirect_refused",
    message: `The other side answered with a redirect (${status})${location ? ` to ${location}` : ""}, and redirects are not followed. Put the address that is meant into the tool's definition.`,
    details: { status, ...(location ? { location } : {}) },
  });

export const responseTooLarge = (limitBytes: number): ToolError =>
  new ToolError({
    code: "output_too_large",
    message: `The answer is larger than ${limitBytes} bytes, and was not read any further. The other side has acted on the call. Raise run.maxResponseBytes in the tool's definition, or have the tool answer less.`,
    details: { limitBytes },
  });
