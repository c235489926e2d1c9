import type { ScheduleReply, ScheduleRunReply } from "#lib/api/schedule-requests.ts";
import type { Paint } from "../paint.ts";
import { oneLine } from "../print-safely.ts";
import { moment } from "./moment.ts";
import { table } from "./table.ts";

/** A schedule's line in a list. */
export function scheduleRow(schedule: ScheduleReply, paint: Paint): readonly string[] {
  const { name, cron, timeZone, action, lastRun } = schedule;
  return [
    name,
    nextWord(schedule, paint),
    `${cron} ${paint("dim", timeZone)}`,
    action,
    lastRun === undefined ? "" : runText(lastRun, paint),
  ];
}

/** A schedule: when, what, for whom, and what became of its last times. */
export function scheduleText(schedule: ScheduleReply, paint: Paint): string {
  const { name, cron, timeZone, action, args, principal, automationProfile, savedBy, savedAt, runs } =
    schedule;
  return [
    `${name}\n`,
    table([
      ["next", nextWord(schedule, paint)],
      ["times", `${cron} ${timeZone}`],
      ["action", action],
      ...Object.entries(args).map(([arg, value]) => [
        `  ${oneLine(arg, 40)}`,
        oneLine(JSON.stringify(value), 100),
      ]),
      ...(automationProfile === undefined ? [] : [["profile", automationProfile]]),
      ["for", principal],
      ["saved", `${moment(savedAt)} by ${savedBy}`],
    ]),
    ...(runs.length === 0 ? [] : ["\n", table(runs.map((run) => [moment(run.for), runText(run, paint)]))]),
  ].join("");
}

/** With its zone: the expression beside it is read in another one. */
const nextWord = ({ paused, nextRunAt, firing }: ScheduleReply, paint: Paint): string => {
  if (firing !== undefined) return paint("cyan", `submitting ${firing.planId}`);
  if (paused) return paint("yellow", "paused");
  return nextRunAt === undefined ? paint("yellow", "never") : `${moment(nextRunAt)} UTC`;
};

function runText(run: ScheduleRunReply, paint: Paint): string {
  switch (run.outcome) {
    case "submitted":
      return `${paint("green", "submitted")} ${run.planId}`;
    case "failed":
      return `${paint("red", "failed")} ${oneLine(run.problem.message, 200)}`;
    case "missed":
      return `${paint("yellow", "missed")} ${run.more ? "more than " : ""}${run.count} until ${moment(run.until)}`;
    default:
      return run satisfies never;
  }
}
