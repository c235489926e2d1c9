import { setTimeout as sleep } from "node:timers/promises";
import { randomIdSource } from "../runtime/random-id-source.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { ClientPorts } from "./client-options.ts";

/** The machine's own, for a client that is made without ports of the caller's. */
export const systemPorts: ClientPorts = {
  fetch: (input, init) => globalThis.fetch(input, init),
  delay: (milliseconds, signal) => sleep(milliseconds, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
  ids: randomIdSource(systemClock),
  waiting() {},
};
