import { randomBytes } from "node:crypto";
import { ulid } from "ulid";
import type { SecretSource } from "#lib/access/issue-token.ts";
import { jsonLinesLog } from "#lib/log/json-lines-log.ts";
import type { Log } from "#lib/log/log.ts";
import type { Clock, IdSource, Timer } from "#lib/run/clock.ts";

/** Time, ids and randomness of this process: what entries hand to the domain. */
export const processClock: Clock = { now: () => Date.now() };
export const processIds: IdSource = { ulid: () => ulid() };
export const processSecrets: SecretSource = { secret: () => randomBytes(32).toString("base64url") };
export const processTimer: Timer = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
/** One JSON object a line on standard output, where Lambda collects it. */
export const processLog: Log = jsonLinesLog({
  clock: processClock,
  writeLine: (line) => {
    process.stdout.write(`${line}\n`);
  },
});
