import * as z from "zod/mini";

/** A limit; `null`: none. */
const limit = z.nullable(z.int().check(z.minimum(1), z.maximum(1_000_000_000)));
const limits = {
  requestsPerMinute: limit,
  plansPerMinute: limit,
  decisionsPerMinute: limit,
  openRuns: limit,
  contentMebibytesPerHour: limit,
};

/**
 * What each tenant may use, as an operator sets it: requests, submitted plans and their decisions a minute, runs under way at
 * a time, uploaded content an hour; under `tenants` what is otherwise for one. The defaults stop what has run wild, not what is busy.
 */
export const quotaDocument = z.strictObject({
  requestsPerMinute: z._default(limits.requestsPerMinute, 12_000),
  plansPerMinute: z._default(limits.plansPerMinute, 3_000),
  decisionsPerMinute: z._default(limits.decisionsPerMinute, 2_000_000),
  openRuns: z._default(limits.openRuns, 5_000),
  contentMebibytesPerHour: z._default(limits.contentMebibytesPerHour, 51_200),
  tenants: z._default(z.record(z.string(), z.partial(z.strictObject(limits))), {}),
});
export type QuotaDocument = z.output<typeof quotaDocument>;

export type QuotaName = keyof typeof limits;
export type QuotaLimits = Readonly<Record<QuotaName, number | null>>;

/** A tenant's limits: its own where the document has them, else those of all. */
export const limitsOfTenant = (document: QuotaDocument, tenant: string): QuotaLimits => {
  const { tenants, ...common } = document;
  const own = Object.hasOwn(tenants, tenant) ? tenants[tenant] : undefined;
  const of = (name: QuotaName): number | null => own?.[name] ?? (own?.[name] === null ? null : common[name]);
  return {
    requestsPerMinute: of("requestsPerMinute"),
    plansPerMinute: of("plansPerMinute"),
    decisionsPerMinute: of("decisionsPerMinute"),
    openRuns: of("openRuns"),
    contentMebibytesPerHour: of("contentMebibytesPerHour"),
  };
};
