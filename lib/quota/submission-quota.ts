import type { Clock } from "../run/clock.ts";
import type { OpenRuns } from "../run/run-store.ts";
import type { QuotaLimits, QuotaName } from "./quota-document.ts";
import { quotaExceeded } from "./quota-exceeded.ts";
import type { Amount, MeterKey, MeterRow, QuotaStore } from "./quota-store.ts";
import { secondsLeft, windowStart } from "./window.ts";

/** Lets a new plan in, or throws `quota_exceeded`; asked once for a plan, before anything of it is written. */
export interface SubmissionQuota {
  admit(order: { readonly tenant: string; readonly decisions: number }): Promise<void>;
}

const windowSeconds = 60;
/** A tenant that has too many runs under way is not counted anew within this. */
export const recountSeconds = 10;
const pageSize = 1_000;
/** Runs of all tenants; one that stands behind so many others is let in. */
const countedMaximum = 100_000;

/**
 * Counts plans and decisions by the minute. Runs under way are counted up as they come and never down: when the count reaches
 * its limit, the runs that are open are counted and the count set right, so that an end costs nothing. Either is one write
 * for a plan, whatever its size.
 */
export const submissionQuota = (ports: {
  readonly store: QuotaStore;
  readonly openRuns: OpenRuns;
  readonly limitsOf: (tenant: string) => QuotaLimits;
  readonly clock: Clock;
}): SubmissionQuota => ({
  async admit({ tenant, decisions }) {
    const limits = ports.limitsOf(tenant);
    const windowed = {
      ...limited("plansPerMinute", 1, limits),
      ...limited("decisionsPerMinute", decisions, limits),
    };
    const lasting = limited("openRuns", 1, limits);
    if (Object.keys(windowed).length + Object.keys(lasting).length === 0) return;
    const key: MeterKey = { tenant, meter: "submissions" };
    // A second refusal over open runs comes from a count that was set right in between.
    for (let recounted = false; ; recounted = true) {
      const nowEpochMs = ports.clock.now();
      const taken = await ports.store.take(key, {
        windowEpochSeconds: windowStart(nowEpochMs, windowSeconds),
        windowed,
        lasting,
      });
      if (taken.kind === "taken") return;
      const { row } = taken;
      for (const quota of ["plansPerMinute", "decisionsPerMinute"] as const) {
        const limit = limits[quota];
        if (limit === null || !taken.full.includes(quota)) continue;
        const window = { startEpochSeconds: row.windowEpochSeconds, windowSeconds };
        throw quotaExceeded({ quota, limit, retryAfterSeconds: secondsLeft(nowEpochMs, window) });
      }
      const limit = limits.openRuns ?? 0;
      const wait = recountSeconds - (nowEpochMs / 1000 - (row.correctedAtEpochSeconds ?? 0));
      if (recounted || wait > 0 || !(await hasRoom(ports, { key, row, limit }))) {
        throw quotaExceeded({
          quota: "openRuns",
          limit,
          retryAfterSeconds: wait > 0 ? wait : recountSeconds,
        });
      }
    }
  },
});

const limited = (name: QuotaName, amount: number, limits: QuotaLimits): Readonly<Record<string, Amount>> => {
  const limit = limits[name];
  return limit === null ? {} : { [name]: { amount, limit } };
};

/** Counts the tenant's open runs, up to the limit, and sets the count right. */
const hasRoom = async (
  {
    openRuns,
    store,
    clock,
  }: { readonly openRuns: OpenRuns; readonly store: QuotaStore; readonly clock: Clock },
  { key, row, limit }: { readonly key: MeterKey; readonly row: MeterRow; readonly limit: number },
): Promise<boolean> => {
  const open = await countOpen(openRuns, key.tenant, limit);
  await store.correct(key, {
    name: "openRuns",
    from: row.counts.openRuns ?? 0,
    to: open,
    atEpochSeconds: Math.floor(clock.now() / 1000),
  });
  return open < limit;
};

const countOpen = async (openRuns: OpenRuns, tenant: string, limit: number): Promise<number> => {
  let own = 0;
  let seen = 0;
  let cursor: string | undefined;
  do {
    const page = await openRuns.due({
      // Every open run is due at the end of time.
      nowEpochSeconds: 9_999_999_999,
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    });
    own += page.runs.filter((run) => run.tenant === tenant).length;
    seen += page.runs.length;
    cursor = page.cursor;
  } while (cursor !== undefined && own < limit && seen < countedMaximum);
  return Math.min(own, limit);
};
