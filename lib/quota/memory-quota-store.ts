import { fullCounts } from "./full-counts.ts";
import type { Amount, MeterKey, MeterRow, QuotaStore } from "./quota-store.ts";

const nameOf = ({ tenant, meter }: MeterKey): string => JSON.stringify([tenant, meter]);

/** Counts in this process's memory, for tests. */
export const memoryQuotaStore = (): QuotaStore => {
  const rows = new Map<string, MeterRow>();
  return {
    async take(key, taking) {
      const standing = rows.get(nameOf(key)) ?? { windowEpochSeconds: 0, counts: {} };
      const windowEpochSeconds = Math.max(standing.windowEpochSeconds, taking.windowEpochSeconds);
      const begun =
        windowEpochSeconds === standing.windowEpochSeconds
          ? standing.counts
          : { ...standing.counts, ...mapped(taking.windowed, () => 0) };
      const row = { ...standing, windowEpochSeconds, counts: begun };
      const amounts = { ...taking.windowed, ...taking.lasting };
      const full = fullCounts(begun, amounts);
      if (full.length > 0) return { kind: "full", full, row };
      const counts = { ...begun, ...mapped(amounts, ({ amount }, name) => (begun[name] ?? 0) + amount) };
      rows.set(nameOf(key), { ...row, counts });
      return { kind: "taken", row: { ...row, counts } };
    },
    async correct(key, { name, from, to, atEpochSeconds }) {
      const standing = rows.get(nameOf(key));
      if (standing?.counts[name] !== from) return false;
      rows.set(nameOf(key), {
        ...standing,
        counts: { ...standing.counts, [name]: to },
        correctedAtEpochSeconds: atEpochSeconds,
      });
      return true;
    },
  };
};

const mapped = (
  amounts: Readonly<Record<string, Amount>>,
  of: (amount: Amount, name: string) => number,
): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, of(amount, name)]));
