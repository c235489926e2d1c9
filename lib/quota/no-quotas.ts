import type { ContentQuota } from "./content-quota.ts";
import type { RequestQuota } from "./request-quota.ts";
import type { SubmissionQuota } from "./submission-quota.ts";

/** What a tenant may use, by what is asked for it. */
export interface Quotas {
  readonly requests: RequestQuota;
  readonly submissions: SubmissionQuota;
  readonly content: ContentQuota;
}

/** For a service without limits: nothing is counted. */
export const noQuotas: Quotas = {
  requests: { async admit() {} },
  submissions: { async admit() {} },
  content: { async admit() {} },
};
