/** Cases of a property test; more on demand. fast-check prints the seed of a failure. */
export const propertyRuns = Number(process.env.PROPERTY_RUNS ?? 300);
