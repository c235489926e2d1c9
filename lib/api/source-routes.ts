import { noQuery, pageQuery } from "./page-query.ts";
import { json, jsonBody, noBody, route } from "./route.ts";
import { sourceListReply, sourcePutRequest, sourceReply, sourceRunsReply } from "./source-requests.ts";

const path = "/v1/sync/sources/{name}";

export const listSources = route({
  id: "sources.list",
  method: "GET",
  path: "/v1/sync/sources",
  scope: "resources:read",
  summary: "Sync sources by name.",
  query: pageQuery(100),
  body: noBody,
  replies: { 200: json("A page of sources.", sourceListReply) },
});
export const readSource = route({
  id: "sources.get",
  method: "GET",
  path,
  scope: "resources:read",
  summary: "A sync source, when it runs next, and how its last run ended.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The source.", sourceReply) },
});
export const readSourceRuns = route({
  id: "sources.runs",
  method: "GET",
  path: `${path}/runs`,
  scope: "resources:read",
  summary: "The last runs of a sync source, the newest first, each with its summary.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("Up to 50 runs.", sourceRunsReply) },
});
export const putSource = route({
  id: "sources.put",
  method: "PUT",
  path,
  scope: "resources:write",
  summary:
    "Save a sync source: another service or a catalogue, from which this tenant is synced again and again. It runs at once; a run under way ends first.",
  query: noQuery,
  body: jsonBody(sourcePutRequest, { maximumBytes: 64 * 1024 }),
  replies: {
    200: json("The source as it stands now.", sourceReply),
    201: json("The source, which is new.", sourceReply),
  },
});
export const deleteSource = route({
  id: "sources.delete",
  method: "DELETE",
  path,
  scope: "resources:write",
  summary: "End a sync source, and its run under way. What it brought stays.",
  query: noQuery,
  body: noBody,
  replies: { 204: { kind: "empty", description: "Deleted." } },
});
export const runSourceNow = route({
  id: "sources.run",
  method: "POST",
  path: `${path}/run`,
  scope: "resources:write",
  summary: "Run a sync source now, also while it is paused; `sync_running` when it does.",
  query: noQuery,
  body: noBody,
  replies: { 202: json("The source; the run's outcome stands in its runs.", sourceReply) },
});
export const pauseSource = route({
  id: "sources.pause",
  method: "POST",
  path: `${path}/pause`,
  scope: "resources:write",
  summary: "Let a sync source run no more; a run under way ends at its next step.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The source, paused.", sourceReply) },
});
export const resumeSource = route({
  id: "sources.resume",
  method: "POST",
  path: `${path}/resume`,
  scope: "resources:write",
  summary: "End the pause of a sync source: it runs at once.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The source, which runs again.", sourceReply) },
});
