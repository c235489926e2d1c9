import * as z from "zod/mini";
import { noQuery, pageQuery, queryInteger, runPageQuery, runQuery } from "./page-query.ts";
import { controlRequest, resumeRequest } from "./plan-requests.ts";
import { json, jsonBody, noBody, route } from "./route.ts";

const planPath = "/v1/plans/{planId}";
const planReplies = () => import("./plan-replies.ts");
const accepted = {
  202: json("Accepted; the outcome stands in the status.", async () => (await planReplies()).acceptedReply),
};

/** Runs: submit and control. */
export const executePlan = route({
  id: "plans.execute",
  method: "POST",
  path: `${planPath}/execute`,
  scope: "plans:write",
  summary:
    "Submit a plan and run it. The body is a plan document, { contentSha256 } of one uploaded as content, or { action, args } of a synced action. The same again is the same 202.",
  query: noQuery,
  body: jsonBody(z.unknown()),
  replies: accepted,
});
export const pausePlan = route({
  id: "plans.pause",
  method: "POST",
  path: `${planPath}/pause`,
  scope: "plans:write",
  summary: "Pause: nothing becomes final until it is resumed.",
  query: noQuery,
  body: jsonBody(controlRequest, { optional: true }),
  replies: accepted,
});
export const resumePlan = route({
  id: "plans.resume",
  method: "POST",
  path: `${planPath}/resume`,
  scope: "plans:write",
  summary:
    "Release a pause; or, after an end, open a further run of what did not land, with corrected tool calls where given.",
  query: noQuery,
  body: jsonBody(resumeRequest, { optional: true }),
  replies: accepted,
});
export const cancelPlan = route({
  id: "plans.cancel",
  method: "POST",
  path: `${planPath}/cancel`,
  scope: "plans:write",
  summary: "Cancel: nothing more becomes final; the changeset is sealed and kept.",
  query: noQuery,
  body: jsonBody(controlRequest, { optional: true }),
  replies: accepted,
});

/** Plans: read. */
export const listPlans = route({
  id: "plans.list",
  method: "GET",
  path: "/v1/plans",
  scope: "plans:read",
  summary: "Plans of the tenant, newest first.",
  query: pageQuery(100),
  body: noBody,
  replies: { 200: json("A page of plans.", async () => (await planReplies()).planListReply) },
});
export const readPlanStatus = route({
  id: "plans.status",
  method: "GET",
  path: planPath,
  scope: "plans:read",
  summary: "Status of a plan's latest run, or of run N.",
  query: runQuery,
  body: noBody,
  replies: { 200: json("The status.", async () => (await planReplies()).planStatusReply) },
});
export const readDecisions = route({
  id: "plans.decisions",
  method: "GET",
  path: `${planPath}/decisions`,
  scope: "plans:read",
  summary: "Decisions in plan order with calls, output and entries, pending ones included.",
  query: runPageQuery(100),
  body: noBody,
  replies: { 200: json("A page of decisions.", async () => (await planReplies()).decisionsReply) },
});
export const readEvents = route({
  id: "plans.events",
  method: "GET",
  path: `${planPath}/events`,
  scope: "plans:read",
  summary: "Events of all runs by number, without gaps. Pass the cursor back to see what came later.",
  query: pageQuery(1000),
  body: noBody,
  replies: { 200: json("A page of events.", async () => (await planReplies()).eventsReply) },
});
export const readChangeset = route({
  id: "plans.changeset",
  method: "GET",
  path: `${planPath}/changeset`,
  scope: "plans:read",
  summary: "Entries of the run's changeset in order, with hashes before and after.",
  query: runPageQuery(1000),
  body: noBody,
  replies: { 200: json("A page of entries.", async () => (await planReplies()).changesetReply) },
});
export const readPlanContent = route({
  id: "plans.content",
  method: "GET",
  path: `${planPath}/content/{sha256}`,
  scope: "plans:read",
  summary:
    "Content by its SHA-256: of a file as the latest run (or run N) left it, or before or after an entry of one decision.",
  query: z.strictObject({
    run: z.optional(queryInteger({ minimum: 1, maximum: 999_999_999 })),
    decision: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
  }),
  body: noBody,
  replies: {
    307: { kind: "empty", description: "Large content: `Location` holds the bytes for five minutes." },
    200: { kind: "bytes", contentType: "application/octet-stream", description: "The bytes." },
  },
});
export const readDiff = route({
  id: "plans.diff",
  method: "GET",
  path: `${planPath}/diff`,
  scope: "plans:read",
  summary:
    "Unified diff from base to the state now, of the whole plan, of run N, or of one decision. Pages at file boundaries by a Link header; empty when nothing changed.",
  query: z.strictObject({
    run: z.optional(queryInteger({ minimum: 1, maximum: 999_999_999 })),
    decision: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
    cursor: z.optional(z.string().check(z.minLength(1), z.maxLength(2048))),
  }),
  body: noBody,
  replies: {
    200: {
      kind: "bytes",
      contentType: "text/x-diff",
      description: 'A page of the diff; `Link: <…>; rel="next"` when there is more.',
    },
  },
});
export const readLedger = route({
  id: "plans.ledger",
  method: "GET",
  path: `${planPath}/ledger`,
  scope: "plans:read",
  summary:
    "The plan's signed, chained ledger, line by line: header, records, signed heads. `limit` counts records.",
  query: pageQuery(1000),
  body: noBody,
  replies: { 200: json("A page of lines.", async () => (await planReplies()).ledgerReply) },
});
