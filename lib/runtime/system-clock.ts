import type { Clock } from "../run/clock.ts";

/**
 * The machine's clock. With `random-id-source.ts` the only file of `lib` that reads anything but what is handed in: the
 * public classes fall back on the two when they are made in process without a `clock` or `ids` of the caller's. Handlers,
 * tests and everything inside `lib` hand theirs in.
 */
export const systemClock: Clock = { now: () => Date.now() };
