import * as z from "zod/mini";
import { applyRequest, deriveRequest, judgeRequest, rollbackRequest } from "./apply-requests.ts";
import { noQuery, pageQuery, queryInteger } from "./page-query.ts";
import { json, jsonBody, noBody, route } from "./route.ts";

const planPath = "/v1/plans/{planId}";
const applyReplies = () => import("./apply-replies.ts");
const planReplies = () => import("./plan-replies.ts");
const accepted = {
  202: json("Accepted; the outcome stands in the status.", async () => (await planReplies()).acceptedReply),
};
const cursor = z.optional(z.string().check(z.minLength(1), z.maxLength(2048)));

export const applyPlan = route({
  id: "plans.apply",
  method: "POST",
  path: `${planPath}/apply`,
  scope: "plans:write",
  summary:
    "Apply the changeset of exactly this digest to the plan's project. Gate, phase and target are checked at once; the outcome stands in the status as lastApply.",
  query: noQuery,
  body: jsonBody(applyRequest),
  replies: accepted,
});
export const approvePlan = route({
  id: "plans.approve",
  method: "POST",
  path: `${planPath}/approve`,
  scope: "plans:approve",
  summary:
    "Approve a digest: the sealed changeset's, a derived one's, or the one that the status shows in waitingFor. By another principal than who submitted or resumed the plan; it holds for that digest alone.",
  query: noQuery,
  body: jsonBody(judgeRequest),
  replies: accepted,
});
export const rejectPlan = route({
  id: "plans.reject",
  method: "POST",
  path: `${planPath}/reject`,
  scope: "plans:approve",
  summary: "Reject a digest: it can not be applied until somebody approves it. The changeset is kept.",
  query: noQuery,
  body: jsonBody(judgeRequest),
  replies: accepted,
});
export const rollbackPlan = route({
  id: "plans.rollback",
  method: "POST",
  path: `${planPath}/rollback`,
  scope: "plans:write",
  summary: "Apply a rollback changeset, which was made under /changesets and has a digest of its own.",
  query: noQuery,
  body: jsonBody(rollbackRequest),
  replies: accepted,
});
export const deriveChangeset = route({
  id: "plans.derive",
  method: "POST",
  path: `${planPath}/changesets`,
  scope: "plans:write",
  summary:
    "Make a changeset from another: a merge onto the project as it is now, a part of the decisions, or a rollback. It gets a digest of its own, which passes the gate anew.",
  query: noQuery,
  body: jsonBody(deriveRequest),
  replies: { 201: json("The derived changeset.", async () => (await applyReplies()).derivedReply) },
});
export const readDerived = route({
  id: "plans.derived",
  method: "GET",
  path: `${planPath}/changesets/{digest}`,
  scope: "plans:read",
  summary: "A derived changeset by its digest, its entries in the order in which they are applied.",
  query: pageQuery(1000),
  body: noBody,
  replies: { 200: json("A page of entries.", async () => (await applyReplies()).derivedPageReply) },
});
export const readDerivedDiff = route({
  id: "plans.derivedDiff",
  method: "GET",
  path: `${planPath}/changesets/{digest}/diff`,
  scope: "plans:read",
  summary:
    "Unified diff of what a derived changeset does. Pages at file boundaries by a Link header; empty when it changes nothing.",
  query: z.strictObject({ cursor }),
  body: noBody,
  replies: {
    200: {
      kind: "bytes",
      contentType: "text/x-diff",
      description: 'A page of the diff; `Link: <…>; rel="next"` when there is more.',
    },
  },
});
export const traceChanges = route({
  id: "plans.trace",
  method: "GET",
  path: `${planPath}/trace`,
  scope: "plans:read",
  summary:
    "Every entry of one path, or of one decision, in order: the decision and tool call that made it, the reasons up to the root, and the project revisions in which it stands.",
  query: z.strictObject({
    path: z.optional(z.string().check(z.minLength(1), z.maxLength(1024))),
    resource: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
    decision: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
    limit: z.optional(queryInteger({ minimum: 1, maximum: 200 })),
    cursor,
  }),
  body: noBody,
  replies: {
    200: json(
      "A page of entries; a page may be empty and still have a cursor.",
      async () => (await applyReplies()).traceReply,
    ),
  },
});
