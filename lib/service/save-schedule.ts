import type { Caller } from "../access/caller.ts";
import { requireSpeaksFor } from "../access/issue-token.ts";
import type { ActionRequest } from "../api/plan-requests.ts";
import type { SchedulePutRequest } from "../api/schedule-requests.ts";
import type { Clock } from "../run/clock.ts";
import { cronTimes } from "../schedule/cron-times.ts";
import type { PlanSchedule } from "../schedule/plan-schedule.ts";
import { type ScheduleOrder, savedSchedule } from "../schedule/schedule-moves.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";
import { saveTimed } from "./change-timed-record.ts";
import { type CheckPorts, checkSubmission } from "./submit-plan.ts";

export interface SaveSchedulePorts extends CheckPorts {
  readonly schedules: TimedRecordStore<PlanSchedule>;
  readonly clock: Clock;
}

/**
 * Saves a schedule. Whatever a submission of its plan would be refused for now refuses it, with the field at fault; that it is
 * fine now says nothing about later: each time is checked anew.
 */
export const saveSchedule = async (
  ports: SaveSchedulePorts,
  order: { readonly caller: Caller; readonly name: string; readonly body: SchedulePutRequest },
): Promise<{ readonly record: PlanSchedule; readonly created: boolean }> => {
  const { caller, name, body } = order;
  const { tenant } = caller;
  const { cron, timeZone, principal = caller.principal, paused, planName, ...rest } = body;
  requireSpeaksFor(caller, principal);
  cronTimes({ cron, timeZone });
  const request: ActionRequest = given({ ...rest, name: planName });
  await checkSubmission(ports, { tenant, request });
  const saved: ScheduleOrder = {
    ...{ tenant, name, cron, timeZone, request, principal, paused },
    savedBy: caller.principal,
  };
  return saveTimed(ports.schedules, {
    noun: "schedule",
    key: { tenant, name },
    move: (standing) => savedSchedule(standing, saved, ports.clock.now()),
  });
};

const given = ({ name, args, ...others }: ActionRequest): ActionRequest => {
  const { automationProfile, projectResources, resourceBindings } = others;
  return {
    action: others.action,
    ...(args === undefined ? {} : { args }),
    ...(name === undefined ? {} : { name }),
    ...(automationProfile === undefined ? {} : { automationProfile }),
    ...(projectResources === undefined ? {} : { projectResources }),
    ...(resourceBindings === undefined ? {} : { resourceBindings }),
  };
};
