import type { CronTimes } from "./cron-times.ts";
import { cronTimes } from "./cron-times.ts";
import type { Firing, PlanSchedule, ScheduleRun } from "./plan-schedule.ts";
import { type DeletedRecord, isDeleted } from "./timed-record.ts";

/** What is kept of its runs, and how many times that passed are counted. */
const keptRuns = 20;
const countedMissed = 1000;
/** A firing is tried so often before it counts as failed: over about an hour. */
const mostAttempts = 8;
const firstRetryMs = 60_000;
const longestRetryMs = 900_000;

/** What somebody saves: everything that a schedule says. */
export type ScheduleOrder = Pick<PlanSchedule, "tenant" | "name" | "cron" | "timeZone" | "request"> &
  Pick<PlanSchedule, "principal" | "savedBy" | "paused">;

/**
 * The schedule after a save. Times count from now on; but of one whose times did not change, a time that is due already still
 * counts, with what is saved now. What it did before stays on record.
 */
export function savedSchedule(
  standing: PlanSchedule | DeletedRecord | undefined,
  order: ScheduleOrder,
  nowEpochMs: number,
): PlanSchedule {
  const live = standing === undefined || isDeleted(standing) ? undefined : standing;
  const sameTimes = live?.cron === order.cron && live.timeZone === order.timeZone && !live.paused;
  return looking({
    ...order,
    v: 1,
    revision: (standing?.revision ?? 0) + 1,
    savedAtEpochMs: nowEpochMs,
    nextAtEpochMs: order.paused
      ? undefined
      : sameTimes
        ? live.nextAtEpochMs
        : cronTimes(order).next(nowEpochMs),
    firing: live?.firing,
    runs: live?.runs ?? [],
  });
}

/** Times that pass while it is paused are not made up for. */
export function pausedSchedule(schedule: PlanSchedule, paused: boolean, nowEpochMs: number): PlanSchedule {
  if (schedule.paused === paused) return schedule;
  const nextAtEpochMs = paused ? undefined : cronTimes(schedule).next(nowEpochMs);
  return looking({ ...schedule, revision: schedule.revision + 1, paused, nextAtEpochMs });
}

/** What a tick is to do about a schedule. */
export type FiringDecision =
  | { readonly kind: "nothing" }
  /** Write the schedule as it is here, then submit. */
  | { readonly kind: "fire"; readonly schedule: PlanSchedule; readonly firing: Firing }
  /** Write the schedule as it is here: the firing was tried often enough. */
  | { readonly kind: "give_up"; readonly schedule: PlanSchedule };

/**
 * A firing that was begun is brought to its end first. Else, of the times that have come, the latest fires, however long ago
 * it was, and the earlier ones are recorded as missed.
 */
export function decideFiring(schedule: PlanSchedule, nowEpochMs: number): FiringDecision {
  if (schedule.firing !== undefined) return retried(schedule, schedule.firing, nowEpochMs);
  const { nextAtEpochMs: fromEpochMs } = schedule;
  if (fromEpochMs === undefined || fromEpochMs > nowEpochMs) return { kind: "nothing" };
  const times = cronTimes(schedule);
  const [forEpochMs = fromEpochMs] = times.between({ fromEpochMs, toEpochMs: nowEpochMs, limit: 1 });
  const earlier = earlierTimes(times, { fromEpochMs, forEpochMs });
  const firing: Firing = {
    forEpochMs,
    planId: scheduledPlanId(schedule.name, forEpochMs),
    principal: schedule.principal,
    request: schedule.request,
    attempts: 1,
    retryAtEpochMs: nowEpochMs + firstRetryMs,
  };
  const missed = earlier.length === 0 ? [] : [missedRun(earlier, { fromEpochMs, nowEpochMs })];
  return {
    kind: "fire",
    firing,
    schedule: looking({
      ...schedule,
      revision: schedule.revision + 1,
      nextAtEpochMs: times.next(forEpochMs),
      firing,
      runs: [...missed, ...schedule.runs].slice(0, keptRuns),
    }),
  };
}

/** The latest first. Counting them is work, and rarely is there one. */
const earlierTimes = (
  times: CronTimes,
  { fromEpochMs, forEpochMs }: { readonly fromEpochMs: number; readonly forEpochMs: number },
): readonly number[] =>
  forEpochMs === fromEpochMs
    ? []
    : times.between({ fromEpochMs, toEpochMs: forEpochMs - 1, limit: countedMissed + 1 });

function missedRun(
  /** The latest first. */
  times: readonly number[],
  { fromEpochMs, nowEpochMs }: { readonly fromEpochMs: number; readonly nowEpochMs: number },
): ScheduleRun {
  const more = times.length > countedMissed;
  return {
    outcome: "missed",
    forEpochMs: fromEpochMs,
    untilEpochMs: times[0] ?? fromEpochMs,
    atEpochMs: nowEpochMs,
    count: more ? countedMissed : times.length,
    more,
  };
}

function retried(schedule: PlanSchedule, firing: Firing, nowEpochMs: number): FiringDecision {
  if (firing.retryAtEpochMs > nowEpochMs) return { kind: "nothing" };
  const { forEpochMs, attempts } = firing;
  if (attempts >= mostAttempts) {
    const message = `The plan could not be submitted ${attempts} times in a row; the service, or a part that it needs, failed.`;
    const run: ScheduleRun = {
      ...{ outcome: "failed", forEpochMs, atEpochMs: nowEpochMs },
      problem: { code: "unavailable", message },
    };
    const settled = settledSchedule(schedule, run);
    return settled === undefined ? { kind: "nothing" } : { kind: "give_up", schedule: settled };
  }
  const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** attempts);
  const again: Firing = { ...firing, attempts: attempts + 1, retryAtEpochMs: nowEpochMs + waitMs };
  return {
    kind: "fire",
    firing: again,
    schedule: looking({ ...schedule, revision: schedule.revision + 1, firing: again }),
  };
}

/** The schedule with the outcome of its firing, or nothing where that is recorded already. */
export function settledSchedule(
  schedule: PlanSchedule,
  run: Exclude<ScheduleRun, { readonly outcome: "missed" }>,
): PlanSchedule | undefined {
  if (schedule.firing?.forEpochMs !== run.forEpochMs) return undefined;
  return looking({
    ...schedule,
    revision: schedule.revision + 1,
    firing: undefined,
    runs: [run, ...schedule.runs].slice(0, keptRuns),
  });
}

/** One plan for each time of a schedule, however often it is submitted: `schedule.nightly.20261130T063000Z`. */
export const scheduledPlanId = (name: string, forEpochMs: number): string =>
  `schedule.${name}.${new Date(forEpochMs).toISOString().replaceAll(/[-:]|\.\d+/g, "")}`;

/** With the time of its next look: that of the firing under way, else that of its next time. */
function looking(schedule: PlanSchedule): PlanSchedule {
  const { firing, nextAtEpochMs } = schedule;
  const lookAtEpochMs = firing?.retryAtEpochMs ?? nextAtEpochMs;
  const { lookAtEpochSeconds: _, ...rest } = schedule;
  return lookAtEpochMs === undefined
    ? rest
    : { ...rest, lookAtEpochSeconds: Math.ceil(lookAtEpochMs / 1000) };
}
