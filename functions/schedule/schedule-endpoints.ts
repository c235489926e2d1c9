import { type ApiReply, jsonReply } from "#lib/api/api-reply.ts";
import { decodeCursor, encodeCursor } from "#lib/api/cursor.ts";
import { type Endpoint, endpoint } from "#lib/api/endpoint.ts";
import { timedName } from "#lib/api/schedule-requests.ts";
import * as routes from "#lib/api/schedule-routes.ts";
import type { PlanSchedule } from "#lib/schedule/plan-schedule.ts";
import { pausedSchedule } from "#lib/schedule/schedule-moves.ts";
import type { TimedKey } from "#lib/schedule/timed-record.ts";
import { changeTimed, deleteTimed, readTimed } from "#lib/service/change-timed-record.ts";
import type { SaveSchedulePorts } from "#lib/service/save-schedule.ts";
import { scheduleReplyOf } from "#lib/service/schedule-reply.ts";
import type { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { timedKey, writtenTimedKey } from "./path-name.ts";

const listing = "schedules";
const noun = "schedule";

export type SchedulePorts = Omit<SaveSchedulePorts, "tools"> & {
  /** Loaded when a schedule is saved. */
  readonly tools: () => Promise<ToolRegistry>;
};

/** Plan schedules of the caller's tenant. */
export const scheduleEndpoints = (ports: SchedulePorts): readonly Endpoint[] => [
  endpoint(routes.listSchedules, async ({ caller, query }) => {
    const { records, cursor } = await ports.schedules.list({
      tenant: caller.tenant,
      limit: query.limit ?? 50,
      ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, listing, timedName) }),
    });
    return jsonReply(200, {
      schedules: records.map(scheduleReplyOf),
      ...(cursor === undefined ? {} : { cursor: encodeCursor(listing, cursor) }),
    });
  }),
  endpoint(routes.readSchedule, async (request) =>
    replyOf(await readTimed(ports.schedules, noun, timedKey(request, noun))),
  ),
  endpoint(routes.putSchedule, async (request) => {
    const { name } = writtenTimedKey(request);
    const { saveSchedule } = await import("#lib/service/save-schedule.ts");
    const order = { caller: request.caller, name, body: request.body };
    const { record, created } = await saveSchedule({ ...ports, tools: await ports.tools() }, order);
    return replyOf(record, created ? 201 : 200);
  }),
  endpoint(routes.deleteSchedule, async (request) => {
    await deleteTimed(ports.schedules, noun, timedKey(request, noun));
    return { status: 204, body: { kind: "empty" } };
  }),
  endpoint(routes.pauseSchedule, async (request) =>
    replyOf(await paused(ports, timedKey(request, noun), true)),
  ),
  endpoint(routes.resumeSchedule, async (request) =>
    replyOf(await paused(ports, timedKey(request, noun), false)),
  ),
];

const paused = (
  { schedules, clock }: Pick<SchedulePorts, "schedules" | "clock">,
  key: TimedKey,
  value: boolean,
): Promise<PlanSchedule> =>
  changeTimed(schedules, {
    ...{ noun, key },
    move: (standing) =>
      standing.paused === value ? undefined : pausedSchedule(standing, value, clock.now()),
  });

const replyOf = (schedule: PlanSchedule, status = 200): ApiReply =>
  jsonReply(status, scheduleReplyOf(schedule));
