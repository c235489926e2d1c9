import { itemPutRequest, itemReply, itemRevisionsReply } from "./item-requests.ts";
import { noQuery, pageQuery } from "./page-query.ts";
import { resourceListReply } from "./resource-requests.ts";
import { json, jsonBody, noBody, route } from "./route.ts";

type ItemKind = "actions" | "skills" | "tools";

const revisionRoute = (kind: ItemKind | "projects", noun: string) =>
  route({
    id: `${kind}.revision`,
    method: "GET",
    path: `/v1/${kind}/{namespace}/{name}/revisions/{revision}`,
    scope: "resources:read",
    summary: `One revision of ${noun} with its document; of a deletion, what was deleted.`,
    query: noQuery,
    body: noBody,
    replies: { 200: json("The revision.", itemReply) },
  });

/** The routes of the kinds that are one document. */
const itemRoutesOf = (kind: ItemKind, noun: string) => {
  const path = `/v1/${kind}/{namespace}/{name}`;
  return {
    list: route({
      id: `${kind}.list`,
      method: "GET",
      path: `/v1/${kind}`,
      scope: "resources:read",
      summary: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} by id, tombstones included.`,
      query: pageQuery(1000),
      body: noBody,
      replies: { 200: json(`A page of ${kind}.`, resourceListReply) },
    }),
    read: route({
      id: `${kind}.get`,
      method: "GET",
      path,
      scope: "resources:read",
      summary: `The latest revision of ${noun}, with its document.`,
      query: noQuery,
      body: noBody,
      replies: { 200: json("The item; its revision also stands in ETag.", itemReply) },
    }),
    revisions: route({
      id: `${kind}.revisions`,
      method: "GET",
      path: `${path}/revisions`,
      scope: "resources:read",
      summary: `Revisions of ${noun}, newest first, deletions included.`,
      query: pageQuery(100),
      body: noBody,
      replies: { 200: json("A page of revisions.", itemRevisionsReply) },
    }),
    revision: revisionRoute(kind, noun),
    put: route({
      id: `${kind}.put`,
      method: "PUT",
      path,
      scope: "resources:write",
      summary: `Write the next revision of ${noun}; the same content again changes nothing.`,
      query: noQuery,
      body: jsonBody(itemPutRequest),
      replies: {
        200: json("The revision that stands now.", itemReply),
        201: json("The first revision, or the first after a deletion.", itemReply),
      },
    }),
    delete: route({
      id: `${kind}.delete`,
      method: "DELETE",
      path,
      scope: "resources:write",
      summary: "Put a tombstone; earlier revisions stay readable.",
      query: noQuery,
      body: noBody,
      replies: { 204: { kind: "empty", description: "Deleted." } },
    }),
  };
};

export const itemRoutes = {
  actions: itemRoutesOf("actions", "an action"),
  skills: itemRoutesOf("skills", "a skill"),
  tools: itemRoutesOf("tools", "a tool"),
} as const;

export const readProjectRevision = revisionRoute("projects", "a project");
