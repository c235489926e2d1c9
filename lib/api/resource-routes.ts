import { noQuery, pageQuery } from "./page-query.ts";
import {
  projectPutRequest,
  projectReply,
  projectRevisionsReply,
  resourceListReply,
} from "./resource-requests.ts";
import { json, jsonBody, noBody, route } from "./route.ts";

const projectPath = "/v1/projects/{namespace}/{name}";

export const listProjects = route({
  id: "projects.list",
  method: "GET",
  path: "/v1/projects",
  scope: "resources:read",
  summary: "Projects by id, tombstones included.",
  query: pageQuery(1000),
  body: noBody,
  replies: { 200: json("A page of projects.", resourceListReply) },
});
export const readProject = route({
  id: "projects.get",
  method: "GET",
  path: projectPath,
  scope: "resources:read",
  summary: "A project's latest revision.",
  query: noQuery,
  body: noBody,
  replies: { 200: json("The project; its revision also stands in ETag.", projectReply) },
});
export const readProjectRevisions = route({
  id: "projects.revisions",
  method: "GET",
  path: `${projectPath}/revisions`,
  scope: "resources:read",
  summary: "A project's revisions, newest first, each with the changeset that made it, where one did.",
  query: pageQuery(100),
  body: noBody,
  replies: { 200: json("A page of revisions.", projectRevisionsReply) },
});
export const putProject = route({
  id: "projects.put",
  method: "PUT",
  path: projectPath,
  scope: "resources:write",
  summary: "Write a project's next revision; the same tree, version and settings again change nothing.",
  query: noQuery,
  body: jsonBody(projectPutRequest),
  replies: {
    200: json("The revision that stands now.", projectReply),
    201: json("The project's first revision.", projectReply),
  },
});
export const deleteProject = route({
  id: "projects.delete",
  method: "DELETE",
  path: projectPath,
  scope: "resources:write",
  summary: "Put a tombstone; earlier revisions stay readable.",
  query: noQuery,
  body: noBody,
  replies: { 204: { kind: "empty", description: "Deleted." } },
});
