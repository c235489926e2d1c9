import {
  type ProjectPutRequest,
  type ProjectReply,
  type ProjectRevisionsReply,
  projectReply,
  projectRevisionsReply,
  type ResourceSummaryReply,
  resourceListReply,
} from "../api/resource-requests.ts";
import { checkedResourceId } from "./checked-id.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { pages } from "./pages.ts";
import { parsedReply } from "./parsed-reply.ts";

/** Projects of the token's tenant, by `namespace/name`. */
export interface ProjectsClient {
  /** `NotFoundError` when there is none, or it was deleted. */
  get(id: string, signal?: AbortSignal): Promise<ProjectReply>;
  /** A new revision with an uploaded tree. `revision_conflict` when `expectedRevision` is not the one now. */
  put(id: string, request: ProjectPutRequest, signal?: AbortSignal): Promise<ProjectReply>;
  list(query?: {
    readonly limit?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<ResourceSummaryReply>;
  /** Revisions, newest first, each with the changeset and the plan that made it, where one did. */
  revisions(
    id: string,
    query?: { readonly limit?: number; readonly signal?: AbortSignal },
  ): AsyncIterable<ProjectRevisionsReply["revisions"][number]>;
  delete(id: string, signal?: AbortSignal): Promise<void>;
}

export function projectsClient(transport: HttpTransport): ProjectsClient {
  const projectPath = (id: unknown) => path("v1", "projects", ...checkedResourceId("project", id));

  return {
    get: async (id, signal) => {
      const reply = await transport.send({ method: "GET", path: projectPath(id), repeatable: true, signal });
      return parsedReply(projectReply, reply, "project");
    },
    put: async (id, request, signal) => {
      const reply = await transport.send({
        method: "PUT",
        path: projectPath(id),
        body: { json: request },
        // The same tree, version and settings again change nothing.
        repeatable: true,
        signal,
      });
      return parsedReply(projectReply, reply, "project");
    },
    list: async function* (query = {}) {
      const read = async (cursor: string | undefined) =>
        parsedReply(
          resourceListReply,
          await transport.send({
            method: "GET",
            path: path("v1", "projects"),
            query: { limit: query.limit, cursor },
            repeatable: true,
            signal: query.signal,
          }),
          "project list",
        );
      for await (const page of pages(undefined, read)) yield* page.resources;
    },
    revisions: async function* (id, query = {}) {
      const read = async (cursor: string | undefined) =>
        parsedReply(
          projectRevisionsReply,
          await transport.send({
            method: "GET",
            path: path("v1", "projects", ...checkedResourceId("project", id), "revisions"),
            query: { limit: query.limit, cursor },
            repeatable: true,
            signal: query.signal,
          }),
          "project revisions",
        );
      for await (const page of pages(undefined, read)) yield* page.revisions;
    },
    delete: async (id, signal) => {
      await transport.send({ method: "DELETE", path: projectPath(id), repeatable: true, signal });
    },
  };
}
