/** The value below which a share of the values lies (nearest rank); the values in any order. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error("no values");
  return found;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
