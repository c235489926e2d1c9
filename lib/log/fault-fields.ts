import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import type { LogRecord } from "./log.ts";

/**
 * An error as fields of a log record: stacks stand in logs and nowhere else. Its message only where that can hold nothing of
 * a caller's: messages about infrastructure, and those of an engine that stumbled over our own code. Messages that say what a
 * caller sent (of a refusal, of a parser) are told to the caller, and stay out of logs.
 */
export const faultFields = (
  error: unknown,
): Pick<LogRecord, "error" | "message" | "code" | "cause" | "stack"> => {
  if (!(error instanceof Error)) return { error: "non-error thrown" };
  const cause = error.cause instanceof Error ? { cause: described(error.cause) } : {};
  const code = error instanceof PlanledgerError ? { code: error.code } : {};
  const message = isOurs(error) ? { message: error.message } : {};
  return { error: error.name, ...message, ...code, ...cause, stack: framesOf(error) };
};

const described = (error: Error): string => (isOurs(error) ? `${error.name}: ${error.message}` : error.name);

/** Node's own errors, which have a code, may quote an argument; those of system calls do not, and say which call failed. */
const isOurs = (error: Error): boolean =>
  error instanceof InfrastructureError ||
  "$metadata" in error ||
  "syscall" in error ||
  (error instanceof TypeError && !("code" in error)) ||
  error instanceof ReferenceError;

/** The stack without its first lines, which repeat the message. */
const framesOf = ({ stack = "" }: Error): string => {
  const from = stack.search(/^ {4}at /m);
  return from === -1 ? "" : stack.slice(from);
};
