import { PlanledgerError } from "../errors/planledger-error.ts";
import type { QuotaName } from "./quota-document.ts";

const whats: Readonly<Record<QuotaName, (limit: number) => string>> = {
  requestsPerMinute: (limit) => `sent ${limit} requests within this minute`,
  plansPerMinute: (limit) => `submitted ${limit} plans within this minute`,
  decisionsPerMinute: (limit) => `submitted ${limit} decisions within this minute`,
  openRuns: (limit) => `${limit} runs under way`,
  contentMebibytesPerHour: (limit) => `uploaded ${limit} MiB of content within this hour`,
};

/** `quota_exceeded`: nothing was done, and the same request will do after `retryAfterSeconds`. */
export const quotaExceeded = (refusal: {
  readonly quota: QuotaName;
  readonly limit: number;
  readonly retryAfterSeconds: number;
}): PlanledgerError => {
  const { quota, limit } = refusal;
  const retryAfterSeconds = Math.max(1, Math.ceil(refusal.retryAfterSeconds));
  return new PlanledgerError({
    code: "quota_exceeded",
    message:
      `The tenant has ${whats[quota](limit)}, as many as it may. Nothing was done; ` +
      `send the same request again in ${retryAfterSeconds} s. The operator of the service sets the limit (${quota}).`,
    retryable: true,
    details: { quota, limit, retryAfterSeconds },
  });
};
