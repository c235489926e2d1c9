import type { Clock } from "../run/clock.ts";
import type { QuotaLimits } from "./quota-document.ts";
import { quotaExceeded } from "./quota-exceeded.ts";
import type { QuotaStore } from "./quota-store.ts";
import { secondsLeft, windowStart } from "./window.ts";

/** Lets a request in, or throws `quota_exceeded`; asked before anything of it is read. */
export interface RequestQuota {
  admit(tenant: string): Promise<void>;
}

const quota = "requestsPerMinute";
const windowSeconds = 60;
/** Requests that a process counts by itself before it adds them to the tenant's count. */
const mostAtOnce = 25;
/** Of the limit, what each process may let through uncounted is at most so much. */
const shareAtOnce = 20;
const knownTenants = 10_000;

interface Seen {
  readonly startEpochSeconds: number;
  uncounted: number;
  full: boolean;
}

/**
 * Counts requests by the minute, over all processes of the service, at a write for every 25 of a process (of small limits, for
 * a twentieth): the limit is met but for what each process has not told yet. Once it is reached no request of the
 * minute costs a write.
 */
export const requestQuota = (ports: {
  readonly store: QuotaStore;
  readonly limitsOf: (tenant: string) => QuotaLimits;
  readonly clock: Clock;
}): RequestQuota => {
  const tenants = new Map<string, Seen>();
  const seenOf = (tenant: string, startEpochSeconds: number): Seen => {
    const standing = tenants.get(tenant);
    if (standing !== undefined && standing.startEpochSeconds >= startEpochSeconds) return standing;
    const begun: Seen = { startEpochSeconds, uncounted: 0, full: false };
    // What another minute left uncounted is not worth a write.
    tenants.delete(tenant);
    tenants.set(tenant, begun);
    const [oldest] = tenants.keys();
    if (tenants.size > knownTenants && oldest !== undefined) tenants.delete(oldest);
    return begun;
  };
  return {
    async admit(tenant) {
      const limit = ports.limitsOf(tenant)[quota];
      if (limit === null) return;
      const nowEpochMs = ports.clock.now();
      const seen = seenOf(tenant, windowStart(nowEpochMs, windowSeconds));
      const refusal = () =>
        quotaExceeded({
          quota,
          limit,
          retryAfterSeconds: secondsLeft(nowEpochMs, { ...seen, windowSeconds }),
        });
      if (seen.full) throw refusal();
      seen.uncounted += 1;
      const atOnce = Math.max(1, Math.min(mostAtOnce, Math.floor(limit / shareAtOnce)));
      if (seen.uncounted < atOnce) return;
      const amount = seen.uncounted;
      seen.uncounted = 0;
      const taken = await ports.store.take(
        { tenant, meter: "requests" },
        {
          windowEpochSeconds: seen.startEpochSeconds,
          windowed: { requests: { amount, limit } },
          lasting: {},
        },
      );
      if (taken.kind === "taken") return;
      seen.full = true;
      throw refusal();
    },
  };
};
