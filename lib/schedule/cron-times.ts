import { Cron } from "croner";
import { ValidationError } from "../errors/planledger-error.ts";

/** The times that a cron expression stands for in a time zone, each a whole minute. */
export interface CronTimes {
  /** The first one after this; `undefined` when there is none ever again. */
  next(afterEpochMs: number): number | undefined;
  /** Those from the first bound to the second, both included, the latest first: `limit` of them at most. */
  between(bounds: {
    readonly fromEpochMs: number;
    readonly toEpochMs: number;
    readonly limit: number;
  }): readonly number[];
}

/** `?` would stand for the time at which the expression is read. */
const expressionCharacters = /^[\dA-Za-z*/,#@ -]{1,200}$/;
const zoneName = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/**
 * Reads a cron expression of five fields (minute, hour, day of month, month, day of week; names of months and days, lists,
 * ranges, steps, `L`, `W` and `#` as croner has them; `@hourly` and its like), read by the clocks of an IANA time zone. A time
 * that clocks put forward pass over counts at the first minute after the gap, and one that clocks put back show twice counts
 * once; but expressions with `*` or a step in minute or hour count what passes: nothing in a gap, and twice what is shown twice.
 * Throws `ValidationError` on `/cron` or `/timeZone`, for an expression of no time at all too.
 */
export const cronTimes = (rule: { readonly cron: string; readonly timeZone: string }): CronTimes => {
  const { cron, timeZone } = rule;
  requireZone(timeZone);
  const times = parsed(cron, timeZone);
  return {
    next: (afterEpochMs) => times.nextRun(new Date(afterEpochMs))?.getTime(),
    between({ fromEpochMs, toEpochMs, limit }) {
      // Only what lies before a time is told, by the second.
      const before = new Date((Math.floor(toEpochMs / 1000) + 1) * 1000);
      const found = times.previousRuns(limit, before).map((date) => date.getTime());
      return found.filter((time) => time >= fromEpochMs && time <= toEpochMs);
    },
  };
};

const parsed = (cron: string, timeZone: string): Cron => {
  if (!expressionCharacters.test(cron)) {
    throw refused(cron, "it may hold digits, letters, blanks and * / , - # alone, 200 of them at most");
  }
  const fields = cron.trim().split(/ +/);
  // Croner reads more fields in other modes, and its reason would offer them.
  if (fields.length !== 5 && !cron.trim().startsWith("@")) {
    throw refused(cron, `it has ${fields.length} ${fields.length === 1 ? "field" : "fields"}`);
  }
  const times = constructed(cron, timeZone);
  if (times.nextRun(new Date(0)) === null) throw refused(cron, "no time ever matches it");
  return times;
};

const constructed = (cron: string, timeZone: string): Cron => {
  try {
    return new Cron(cron, { timezone: timeZone, mode: "5-part", fixedTimeRule: "no-wildcard" });
  } catch (error) {
    if (cron.trim().startsWith("@")) {
      throw refused(cron, "the names are @hourly, @daily, @weekly, @monthly and @yearly");
    }
    const why = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : "it cannot be read";
    // Days and months are named there one less than they were given.
    throw refused(cron, why.replace(/^(Invalid value for \w+): \d+$/, "$1"));
  }
};

const refused = (cron: string, why: string): ValidationError =>
  new ValidationError({
    field: "/cron",
    message: `/cron must be a cron expression of five fields (minute, hour, day of month, month, day of week), such as "30 6 * * 1-5" or "@daily"; ${JSON.stringify(cron.slice(0, 100))} is none: ${why.replace(/\.$/, "")}.`,
  });

const requireZone = (timeZone: string): void => {
  if (zoneName.test(timeZone) && isZone(timeZone)) return;
  throw new ValidationError({
    field: "/timeZone",
    message: `/timeZone must be the name of a time zone, such as "UTC", "Europe/Berlin" or "America/New_York", not ${JSON.stringify(timeZone.slice(0, 100))}.`,
  });
};

const isZone = (timeZone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
};
