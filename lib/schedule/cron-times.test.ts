import assert from "node:assert/strict";
import { test } from "node:test";
import { cronTimes } from "./cron-times.ts";

const iso = (epochMs: number | undefined) =>
  epochMs === undefined ? undefined : new Date(epochMs).toISOString();

function following(cron: string, timeZone: string, from: string, count: number): (string | undefined)[] {
  const times = cronTimes({ cron, timeZone });
  const found: (string | undefined)[] = [];
  let at: number | undefined = Date.parse(from);
  while (found.length < count && at !== undefined) {
    at = times.next(at);
    found.push(iso(at));
  }
  return found;
}

test("times are whole minutes of the zone's clocks, strictly after the time asked for", () => {
  assert.deepEqual(following("30 6 * * 1-5", "Europe/Berlin", "2026-11-27T05:30:00Z", 2), [
    "2026-11-30T05:30:00.000Z",
    "2026-12-01T05:30:00.000Z",
  ]);
  assert.deepEqual(following("@hourly", "Asia/Kolkata", "2026-11-30T10:10:00Z", 2), [
    "2026-11-30T10:30:00.000Z",
    "2026-11-30T11:30:00.000Z",
  ]);
});

test("a fixed time in the hour that clocks pass over counts at the first minute after it", () => {
  assert.deepEqual(following("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", 3), [
    "2026-03-28T01:30:00.000Z",
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:30:00.000Z",
  ]);
  assert.deepEqual(following("0,30 2 * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 2), [
    "2026-03-29T01:00:00.000Z",
    "2026-03-30T00:00:00.000Z",
  ]);
});

test("a fixed time in the hour that clocks show twice counts once, the first time", () => {
  assert.deepEqual(following("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2), [
    "2026-10-25T00:30:00.000Z",
    "2026-10-26T01:30:00.000Z",
  ]);
});

test("what recurs within the hour counts every hour that passes: none in a gap, twice what is shown twice", () => {
  assert.deepEqual(following("0 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z", 2), [
    "2026-03-29T01:00:00.000Z",
    "2026-03-29T02:00:00.000Z",
  ]);
  assert.deepEqual(following("15 * * * *", "Europe/Berlin", "2026-10-25T00:00:00Z", 3), [
    "2026-10-25T00:15:00.000Z",
    "2026-10-25T01:15:00.000Z",
    "2026-10-25T02:15:00.000Z",
  ]);
});

test("times between two bounds come the latest first, both bounds included, no more than asked for", () => {
  const times = cronTimes({ cron: "*/5 * * * *", timeZone: "UTC" });
  const bounds = {
    fromEpochMs: Date.parse("2026-11-30T10:00:00Z"),
    toEpochMs: Date.parse("2026-11-30T10:10:00Z"),
  };
  assert.deepEqual(times.between({ ...bounds, limit: 10 }).map(iso), [
    "2026-11-30T10:10:00.000Z",
    "2026-11-30T10:05:00.000Z",
    "2026-11-30T10:00:00.000Z",
  ]);
  assert.equal(times.between({ ...bounds, limit: 2 }).length, 2);
  assert.deepEqual(
    times.between({ fromEpochMs: bounds.fromEpochMs, toEpochMs: bounds.toEpochMs - 1, limit: 1 }).map(iso),
    ["2026-11-30T10:05:00.000Z"],
  );
});

test("what is no cron expression, or one of no time at all, is refused with the reason", () => {
  for (const [cron, why] of [
    ["61 * * * *", /"61 \* \* \* \*" is none: Invalid value for minute\.$/],
    ["* * * *", /five fields .*is none: it has 4 fields\.$/],
    ["* * * * * *", /is none: it has 6 fields\.$/],
    ["hourly", /such as .*"@daily"; "hourly" is none: it has 1 field\.$/],
    [" ", /has 1 field/],
    ["? * * * *", /may hold/],
    ["0 0 30 2 *", /no time ever/],
    ["@reboot", /the names are @hourly, @daily,/],
    ["@daily x", /the names are @hourly, @daily,/],
    ["0 0 32 * *", /is none: Invalid value for day\.$/],
    ["2026-11-30T10:00:00", /may hold/],
    ["", /may hold/],
  ] as const) {
    assert.throws(() => cronTimes({ cron, timeZone: "UTC" }), { field: "/cron", message: why }, cron);
  }
  for (const timeZone of ["Mars/Olympus", "", "+01:00", "Europe/Berlin; x"]) {
    assert.throws(() => cronTimes({ cron: "@daily", timeZone }), { field: "/timeZone" }, timeZone);
  }
});
