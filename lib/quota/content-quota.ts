import type { Clock } from "../run/clock.ts";
import type { QuotaLimits } from "./quota-document.ts";
import { quotaExceeded } from "./quota-exceeded.ts";
import type { QuotaStore } from "./quota-store.ts";
import { secondsLeft, windowStart } from "./window.ts";

/** Lets an upload in, or throws `quota_exceeded`; asked before anything of it is stored. */
export interface ContentQuota {
  admit(order: { readonly tenant: string; readonly bytes: number }): Promise<void>;
}

const quota = "contentMebibytesPerHour";
const windowSeconds = 3_600;
const mebibyte = 1_048_576;

/** Counts the bytes of uploads by the hour. */
export const contentQuota = (ports: {
  readonly store: QuotaStore;
  readonly limitsOf: (tenant: string) => QuotaLimits;
  readonly clock: Clock;
}): ContentQuota => ({
  async admit({ tenant, bytes }) {
    const limit = ports.limitsOf(tenant)[quota];
    if (limit === null) return;
    const nowEpochMs = ports.clock.now();
    const taken = await ports.store.take(
      { tenant, meter: "content" },
      {
        windowEpochSeconds: windowStart(nowEpochMs, windowSeconds),
        windowed: { bytes: { amount: bytes, limit: limit * mebibyte } },
        lasting: {},
      },
    );
    if (taken.kind === "taken") return;
    const window = { startEpochSeconds: taken.row.windowEpochSeconds, windowSeconds };
    throw quotaExceeded({ quota, limit, retryAfterSeconds: secondsLeft(nowEpochMs, window) });
  },
});
