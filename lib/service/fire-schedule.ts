import type { Caller } from "../access/caller.ts";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import { faultFields } from "../log/fault-fields.ts";
import type { Log } from "../log/log.ts";
import type { Clock } from "../run/clock.ts";
import type { Firing, PlanSchedule, ScheduleRun } from "../schedule/plan-schedule.ts";
import { decideFiring, settledSchedule } from "../schedule/schedule-moves.ts";
import { isDeleted, type TimedKey } from "../schedule/timed-record.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";

export interface FirePorts {
  readonly schedules: TimedRecordStore<PlanSchedule>;
  /** `submitPlan`: the same submission again is the same plan. */
  readonly submit: (submission: {
    readonly caller: Caller;
    readonly planId: string;
    readonly body: unknown;
  }) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What a tick does about a schedule: the firing is written down first, whole, with its plan's id, then submitted, then its
 * outcome is written down. Killed anywhere, a later tick brings it to its end, as the same one plan. Two ticks at once: one
 * of them writes, the other leaves it alone. Answers whether a plan was submitted or refused.
 */
export const fireSchedule = async (ports: FirePorts, key: TimedKey): Promise<boolean> => {
  const standing = await ports.schedules.get(key);
  if (standing === undefined || isDeleted(standing)) return false;
  const decision = decideFiring(standing, ports.clock.now());
  if (decision.kind === "nothing" || !(await ports.schedules.put(decision.schedule))) return false;
  if (decision.kind === "give_up") return false;
  const run = await submitted(ports, key, decision.firing);
  if (run === undefined) return false;
  await settle(ports, key, run);
  return true;
};

/** Of what a refusal says: it may quote arguments, and stands in the schedule with others. */
const keptChars = 1000;

type Settled = Exclude<ScheduleRun, { readonly outcome: "missed" }>;

/** The outcome, or nothing where it is to be tried again. */
const submitted = async (
  ports: FirePorts,
  { tenant, name }: TimedKey,
  firing: Firing,
): Promise<Settled | undefined> => {
  const { forEpochMs, planId, principal, request } = firing;
  try {
    // The right to it was asked for when it was saved; no token of the principal's plays a part.
    await ports.submit({ caller: { tenant, principal, scopes: [] }, planId, body: request });
    return { outcome: "submitted", forEpochMs, atEpochMs: ports.clock.now(), planId };
  } catch (error) {
    const known = error instanceof PlanledgerError;
    ports.log.write({
      level: known ? "warn" : "error",
      event: "schedule_not_submitted",
      ...{ tenant, planId, schedule: `schedules/${name}` },
      ...faultFields(error),
    });
    if (known && error.retryable) return undefined;
    const problem = known
      ? {
          code: error.code,
          message: error.message.slice(0, keptChars),
          ...(error instanceof ValidationError ? { field: error.field.slice(0, keptChars) } : {}),
        }
      : { code: "internal", message: "The service failed to submit the plan; its log tells why." };
    return { outcome: "failed", forEpochMs, atEpochMs: ports.clock.now(), problem };
  }
};

/** Somebody may have edited the schedule meanwhile, or deleted it. */
const settle = async ({ schedules }: FirePorts, key: TimedKey, run: Settled): Promise<void> => {
  for (;;) {
    const standing = await schedules.get(key);
    if (standing === undefined || isDeleted(standing)) return;
    const next = settledSchedule(standing, run);
    if (next === undefined || (await schedules.put(next))) return;
  }
};
