/** How many cases a property test runs: as given, or as `PROPERTY_RUNS` in the environment says. */
export const propertyRuns = (standard: number): number => {
  const asked = Number(process.env.PROPERTY_RUNS ?? "");
  return Number.isSafeInteger(asked) && asked > 0 ? asked : standard;
};
