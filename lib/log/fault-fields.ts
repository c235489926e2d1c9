import { PlanledgerError } from "../errors/planledger-error.ts";

/** An error as fields of a log record: stacks stand in logs and nowhere else. */
export const faultFields = (error: unknown): Readonly<Record<string, string>> => {
  if (!(error instanceof Error)) return { error: "non-error thrown" };
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {};
  const code = error instanceof PlanledgerError ? { code: error.code } : {};
  return { error: error.name, message: error.message, ...code, ...cause, stack: error.stack ?? "" };
};
