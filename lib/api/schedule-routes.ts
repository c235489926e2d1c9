import { noQuery, pageQuery } from "./page-query.ts";
import { json, jsonBody, noBody, route } from "./route.ts";
import { scheduleListReply, schedulePutRequest, scheduleReply } from "./schedule-requests.ts";

const path = "/v1/schedules/{name}";

export const listSchedules = route({
  id: "schedules.list",
  method: "GET",
  path: "/v1/schedules",
  scope: "plans:read",
  summary: "Plan schedules by name, each with its last runs.",
  query: pageQuery(100),
  body: noBody,
  replies: { 200: json("A page of schedules.", scheduleListReply) },
});
export const readSchedule = route({
  id: "schedules.get",
  method: "GET",
  path,
  scope: "plans:read",
  summary: "A plan schedule, when it runs next, and what became of its last runs.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The schedule.", scheduleReply) },
});
export const putSchedule = route({
  id: "schedules.put",
  method: "PUT",
  path,
  scope: "plans:write",
  summary:
    "Save a plan schedule: an action with arguments, submitted at the times of a cron expression. It is checked as a submission now would be.",
  query: noQuery,
  body: jsonBody(schedulePutRequest, { maximumBytes: 64 * 1024 }),
  replies: {
    200: json("The schedule as it stands now.", scheduleReply),
    201: json("The schedule, which is new.", scheduleReply),
  },
});
export const deleteSchedule = route({
  id: "schedules.delete",
  method: "DELETE",
  path,
  scope: "plans:write",
  summary: "End a plan schedule. Plans that it submitted stay.",
  query: noQuery,
  body: noBody,
  replies: { 204: { kind: "empty", description: "Deleted." } },
});
export const pauseSchedule = route({
  id: "schedules.pause",
  method: "POST",
  path: `${path}/pause`,
  scope: "plans:write",
  summary: "Let the times of a plan schedule pass from now on.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The schedule, paused.", scheduleReply) },
});
export const resumeSchedule = route({
  id: "schedules.resume",
  method: "POST",
  path: `${path}/resume`,
  scope: "plans:write",
  summary: "End the pause of a plan schedule. Times that passed in it are not made up for.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The schedule, which runs again.", scheduleReply) },
});
