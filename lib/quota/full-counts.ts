import type { Amount } from "./quota-store.ts";

/** Which of the counts have reached the limits of the amounts that are to be added. */
export const fullCounts = (
  counts: Readonly<Record<string, number>>,
  amounts: Readonly<Record<string, Amount>>,
): readonly string[] =>
  Object.entries(amounts).flatMap(([name, { limit }]) => ((counts[name] ?? 0) >= limit ? [name] : []));
