import fc from "fast-check";

/**
 * Loaded before the tests (`node --import`). Property tests meet the same cases in each run of the suite, so that a change is
 * red for what it changed and not by chance. Looking for new cases is a run of its own: `PROPERTY_SEED=random`, or any whole
 * number, with `PROPERTY_RUNS` and `MODEL_RUNS` for more of them; a failure prints its seed.
 */
const asked = process.env.PROPERTY_SEED ?? "1";
if (asked !== "random") {
  const seed = Number(asked);
  if (!Number.isSafeInteger(seed)) {
    throw new Error(`PROPERTY_SEED is "${asked}"; it must be "random" or a whole number`);
  }
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
}
