import { httpStatusOf } from "../api/http-status.ts";
import type { ErrorCode } from "../errors/error-code.ts";
import { PlanledgerError } from "../errors/planledger-error.ts";

/** A submission that is sent again waits this long at first, then twice as long each time, up to the longest. */
const firstDelaySeconds = 2;
/** The longest that SQS delays a message. */
const longestDelaySeconds = 900;
/** With the delays above a little less than a day. */
export const maxSubmissionAttempts = 100;

export interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What becomes of a message whose submission threw. */
export type SubmissionFault =
  /** The same message would be refused again: somebody has to look at it. */
  | { readonly kind: "refused"; readonly refusal: Refusal }
  /** Right, but not now: it is sent again, with this attempt. */
  | { readonly kind: "later"; readonly attempt: number; readonly delaySeconds: number }
  /** A fault of ours: it comes back by itself, and after some receives lies among the dead letters. */
  | { readonly kind: "fault" };

/**
 * `attempt` counts from 0, `random` is in [0, 1). What HTTP answers with a 4xx is refused; over a quota (429) and in an outage
 * (503) the submission comes later, after what the error asks for (`retryAfterSeconds`) or a jittered, growing delay.
 */
export const judgeSubmissionFault = (
  error: unknown,
  { attempt, random }: { readonly attempt: number; readonly random: number },
): SubmissionFault => {
  if (!(error instanceof PlanledgerError)) return { kind: "fault" };
  const { code, message } = error;
  const status = httpStatusOf(code);
  if (status === 429 || error.retryable) {
    if (attempt + 1 >= maxSubmissionAttempts) {
      return {
        kind: "refused",
        refusal: { code, message: `Given up after ${maxSubmissionAttempts} attempts. ${message}` },
      };
    }
    return { kind: "later", attempt: attempt + 1, delaySeconds: delayOf(error, attempt, random) };
  }
  return status >= 500 ? { kind: "fault" } : { kind: "refused", refusal: { code, message } };
};

const delayOf = ({ details }: PlanledgerError, attempt: number, random: number): number => {
  const grown = Math.min(longestDelaySeconds, firstDelaySeconds * 2 ** Math.min(attempt, 10));
  const asked = typeof details.retryAfterSeconds === "number" ? details.retryAfterSeconds : 0;
  // Half of it is spread, so that what was refused together does not come back together.
  const spread = grown / 2 + (grown / 2) * random;
  return Math.ceil(Math.min(longestDelaySeconds, Math.max(asked * (1 + random / 4), spread)));
};
