import type { ScheduleReply, ScheduleRunReply } from "../api/schedule-requests.ts";
import type { PlanSchedule, ScheduleRun } from "../schedule/plan-schedule.ts";

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

/** A schedule as the API tells it. */
export const scheduleReplyOf = (schedule: PlanSchedule): ScheduleReply => {
  const { name, cron, timeZone, request, principal, paused, savedBy, firing, nextAtEpochMs, runs } = schedule;
  const { action, args = {}, name: planName, ...members } = request;
  const lastRun = runs.find(({ outcome }) => outcome !== "missed");
  return {
    ...{ name, cron, timeZone, action, args },
    ...(planName === undefined ? {} : { planName }),
    ...members,
    ...{ principal, paused, savedBy },
    savedAt: iso(schedule.savedAtEpochMs),
    ...(nextAtEpochMs === undefined ? {} : { nextRunAt: iso(nextAtEpochMs) }),
    ...(firing === undefined
      ? {}
      : {
          firing: { for: iso(firing.forEpochMs), planId: firing.planId, attempts: firing.attempts },
        }),
    ...(lastRun === undefined ? {} : { lastRun: runReply(lastRun) }),
    runs: runs.map(runReply),
  };
};

const runReply = (run: ScheduleRun): ScheduleRunReply => {
  const when = { for: iso(run.forEpochMs), at: iso(run.atEpochMs) };
  switch (run.outcome) {
    case "submitted":
      return { outcome: "submitted", ...when, planId: run.planId };
    case "failed":
      return { outcome: "failed", ...when, problem: run.problem };
    case "missed":
      return {
        ...{ outcome: "missed", ...when },
        ...{ until: iso(run.untilEpochMs), count: run.count, more: run.more },
      };
    default:
      return run satisfies never;
  }
};
