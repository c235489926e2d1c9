import * as z from "zod/mini";
import { actionRequest } from "../api/plan-requests.ts";
import type { TimedRecord } from "./timed-record.ts";

const epochMs = z.int().check(z.minimum(0));

/** What became of one time of a schedule, or of several that passed together while nobody looked (`missed`). */
export const scheduleRun = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("submitted"), forEpochMs: epochMs, atEpochMs: epochMs, planId: z.string() }),
  z.object({
    outcome: z.literal("failed"),
    forEpochMs: epochMs,
    atEpochMs: epochMs,
    problem: z.object({ code: z.string(), message: z.string(), field: z.optional(z.string()) }),
  }),
  z.object({
    outcome: z.literal("missed"),
    /** The first of them. */
    forEpochMs: epochMs,
    /** The last of them. */
    untilEpochMs: epochMs,
    atEpochMs: epochMs,
    /** How many; `more` when there were more than are counted. */
    count: z.int().check(z.minimum(1)),
    more: z.boolean(),
  }),
]);
export type ScheduleRun = z.infer<typeof scheduleRun>;

/** A submission that was begun and whose outcome is not recorded yet. It holds all that it is made of: edits do not touch it. */
const firing = z.object({
  forEpochMs: epochMs,
  planId: z.string(),
  principal: z.string(),
  request: actionRequest,
  attempts: z.int().check(z.minimum(1)),
  /** When it is tried again, should whoever tries now be killed. */
  retryAtEpochMs: epochMs,
});
export type Firing = z.infer<typeof firing>;

/** What a schedule holds beside its key. */
export const storedPlanSchedule = z.object({
  cron: z.string(),
  timeZone: z.string(),
  request: actionRequest,
  /** Whom its plans are submitted for. */
  principal: z.string(),
  savedBy: z.string(),
  savedAtEpochMs: epochMs,
  paused: z.boolean(),
  /** The first of its times that nothing was done about yet; none while it is paused, and when no time comes any more. */
  nextAtEpochMs: z.optional(epochMs),
  firing: z.optional(firing),
  /** The newest first, a few. */
  runs: z.array(scheduleRun),
});

/** A plan that is made of an action again and again, at the times of a cron expression. */
export type PlanSchedule = TimedRecord & z.infer<typeof storedPlanSchedule>;
