import { noQuery } from "./page-query.ts";
import { json, jsonBody, noBody, route } from "./route.ts";
import { syncLimits, syncListQuery, syncListReply, syncReply, syncRequest } from "./sync-requests.ts";

export const listForSync = route({
  id: "sync.list",
  method: "GET",
  path: "/v1/sync",
  scope: "resources:read",
  summary:
    "The latest revision of every resource, tombstones included, without documents; strongly consistent, up to 5,000 a page.",
  query: syncListQuery,
  body: noBody,
  replies: { 200: json("A page of rows by kind and id.", syncListReply) },
});
export const syncBatch = route({
  id: "sync.batch",
  method: "POST",
  path: "/v1/sync",
  scope: "resources:read",
  summary:
    "Up to 100 reads and conditional writes, in up to 4 MiB, with a result for each; writes need `resources:write` too.",
  query: noQuery,
  body: jsonBody(syncRequest, { maximumBytes: syncLimits.batchBytes }),
  replies: { 200: json("Results in the order of the operations.", syncReply) },
});
