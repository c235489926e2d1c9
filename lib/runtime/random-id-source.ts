import { monotonicFactory } from "ulid";
import type { Clock, IdSource } from "../run/clock.ts";

/** New ULIDs out of a clock's time and the machine's random source; those of one source sort in the order they were made. */
export function randomIdSource(clock: Clock): IdSource {
  const next = monotonicFactory();
  return { ulid: () => next(clock.now()) };
}
