import { PlanledgerError } from "../errors/planledger-error.ts";

/** Nothing was sent: the address is refused (`address_refused`), or no connection came about (`external_failed`). */
export class OutboundError extends PlanledgerError {}

/** The error of Planledger's own that a client's error stands for, where there is one below it. */
export const ownCause = (error: unknown): PlanledgerError | undefined => {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 8; cause = cause.cause, depth += 1) {
    if (cause instanceof PlanledgerError) return cause;
  }
  return undefined;
};
