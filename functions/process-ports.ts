import { randomBytes } from "node:crypto";
import { ulid } from "ulid";
import type { SecretSource } from "#lib/access/issue-token.ts";
import { jsonLinesLog } from "#lib/log/json-lines-log.ts";
import type { Log } from "#lib/log/log.ts";
import type { Clock, IdSource, Timer } from "#lib/run/clock.ts";
import { invocationLog } from "./invocation.ts";

/** Time, ids, randomness and logs of a process: what entries hand to the domain. */
export interface ProcessPorts {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly secrets: SecretSource;
  readonly timer: Timer;
  /** In [0, 1); spreads what would come at once. */
  readonly random: () => number;
  readonly log: Log;
}

const clock: Clock = { now: () => Date.now() };

/** The ones of this process. Logs are one JSON object a line on standard output, where Lambda collects it. */
export const processPorts: ProcessPorts = {
  clock,
  ids: { ulid: () => ulid() },
  secrets: { secret: () => randomBytes(32).toString("base64url") },
  timer: {
    after(delayMs, callback) {
      const timer = setTimeout(callback, delayMs);
      return { cancel: () => clearTimeout(timer) };
    },
  },
  random: () => Math.random(),
  log: invocationLog(
    jsonLinesLog({
      clock,
      service: process.env.PLANLEDGER_METRICS_SERVICE,
      writeLine: (line) => {
        process.stdout.write(`${line}\n`);
      },
    }),
  ),
};
