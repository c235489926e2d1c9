import * as z from "zod/mini";
import { actionRequest } from "./plan-requests.ts";
import { principalName } from "./token-requests.ts";

const time = z.string();

/** The name of a schedule or a sync source: one of its kind in the tenant, and part of the ids of what it makes. */
export const timedName = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be 1 to 64 letters (A–Z, a–z), digits, '.', '_' or '-', the first a letter or a digit",
    ),
  );

const { action, args, automationProfile, projectResources, resourceBindings } = actionRequest.shape;

/**
 * `PUT /v1/schedules/{name}`: when, and what is submitted then, as a submission of an action has it (`planName` is the plan's
 * own name). `principal` defaults to the caller's; another one needs `tokens:delegate`, as making a token for them does.
 */
export const schedulePutRequest = z.strictObject({
  cron: z.string().check(z.minLength(1), z.maxLength(200)),
  timeZone: z._default(z.string().check(z.minLength(1), z.maxLength(64)), "UTC"),
  action,
  args,
  planName: actionRequest.shape.name,
  automationProfile,
  projectResources,
  resourceBindings,
  principal: z.optional(principalName),
  paused: z._default(z.boolean(), false),
});
export type SchedulePutRequest = z.output<typeof schedulePutRequest>;

/** What became of a time, or of several that passed while the service was down: then `for` is the first, `until` the last. */
export const scheduleRunReply = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("submitted"), for: time, at: time, planId: z.string() }),
  z.strictObject({
    outcome: z.literal("failed"),
    for: time,
    at: time,
    problem: z.strictObject({ code: z.string(), message: z.string(), field: z.optional(z.string()) }),
  }),
  z.strictObject({
    outcome: z.literal("missed"),
    for: time,
    until: time,
    at: time,
    count: z.int(),
    /** There were more than `count` tells. */
    more: z.boolean(),
  }),
]);
export type ScheduleRunReply = z.infer<typeof scheduleRunReply>;

export const scheduleReply = z.strictObject({
  name: z.string(),
  cron: z.string(),
  timeZone: z.string(),
  action: z.string(),
  args: z.record(z.string(), z.unknown()),
  planName: z.optional(z.string()),
  automationProfile: z.optional(z.string()),
  projectResources: z.optional(z.record(z.string(), z.unknown())),
  resourceBindings: z.optional(z.record(z.string(), z.string())),
  principal: z.string(),
  paused: z.boolean(),
  savedBy: z.string(),
  savedAt: time,
  /** Not while it is paused, nor when no time comes any more. */
  nextRunAt: z.optional(time),
  /** The submission under way, where there is one. */
  firing: z.optional(z.strictObject({ for: time, planId: z.string(), attempts: z.int() })),
  /** The last one that was submitted or failed. */
  lastRun: z.optional(scheduleRunReply),
  /** The newest first, up to 20. */
  runs: z.array(scheduleRunReply),
});
export type ScheduleReply = z.infer<typeof scheduleReply>;

export const scheduleListReply = z.strictObject({
  schedules: z.array(scheduleReply),
  cursor: z.optional(z.string()),
});
