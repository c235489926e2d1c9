import * as z from "zod/mini";
import { type ApiReply, jsonReply } from "#lib/api/api-reply.ts";
import { decodeCursor, encodeCursor } from "#lib/api/cursor.ts";
import { type Endpoint, endpoint, parameter } from "#lib/api/endpoint.ts";
import type {
  ProjectReply,
  ProjectRevisionsReply,
  ResourceSummaryReply,
} from "#lib/api/resource-requests.ts";
import * as routes from "#lib/api/resource-routes.ts";
import { NotFoundError, ValidationError } from "#lib/errors/planledger-error.ts";
import { resourceId } from "#lib/resource/resource-id.ts";
import type { ResourceRecord } from "#lib/resource/resource-store.ts";
import {
  deleteProject,
  listRevisions,
  type ProjectBody,
  type ProjectPorts,
  type ProjectRevision,
  projectBody,
  putProject,
  readProject,
} from "#lib/service/projects.ts";
import { expectedRevision } from "./expected-revision.ts";

const listing = "projects";
const defaultLimit = 200;

/** Projects: named file trees. */
export const projectEndpoints = (ports: ProjectPorts): readonly Endpoint[] => [
  endpoint(routes.listProjects, async ({ caller, query }) => {
    const page = await ports.resources.list({
      tenant: caller.tenant,
      kind: "projects",
      limit: query.limit ?? defaultLimit,
      ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, listing, z.string()) }),
    });
    return jsonReply(200, {
      resources: page.resources.map(summaryOf),
      ...(page.cursor === undefined ? {} : { cursor: encodeCursor(listing, page.cursor) }),
    });
  }),
  endpoint(routes.readProject, async (request) => {
    const key = { tenant: request.caller.tenant, id: readId(request) };
    return projectReply(200, await readProject(ports, key));
  }),
  endpoint(routes.readProjectRevisions, async (request) => {
    const { caller, query } = request;
    const page = await listRevisions(ports, { tenant: caller.tenant, id: readId(request) }, query);
    const reply: ProjectRevisionsReply = {
      revisions: page.revisions.map((record) => ({ ...summaryOf(record), ...bodyOf(record) })),
      ...(page.cursor === undefined ? {} : { cursor: page.cursor }),
    };
    return jsonReply(200, reply);
  }),
  endpoint(routes.putProject, async (request) => {
    const { caller, body, headers } = request;
    const expected = expectedRevision(headers, body.expectedRevision);
    const { expectedRevision: _, ...rest } = body;
    const project = await putProject(ports, {
      caller,
      id: writtenId(pathId(request)),
      request: { ...rest, ...(expected === undefined ? {} : { expectedRevision: expected }) },
    });
    return projectReply(project.created ? 201 : 200, project);
  }),
  endpoint(routes.deleteProject, async (request) => {
    await deleteProject(ports, {
      caller: request.caller,
      id: writtenId(pathId(request)),
      expectedRevision: expectedRevision(request.headers, undefined),
    });
    return { status: 204, body: { kind: "empty" } };
  }),
];

const pathId = (request: { readonly parameters: Readonly<Record<string, string>> }): string =>
  `${parameter(request, "namespace")}/${parameter(request, "name")}`;

const readId = (request: { readonly parameters: Readonly<Record<string, string>> }): string => {
  const id = z.safeParse(resourceId, pathId(request));
  if (id.success) return id.data;
  throw new NotFoundError({ code: "not_found", message: `There is no project ${pathId(request)}.` });
};

const writtenId = (id: string): string => {
  const parsed = z.safeParse(resourceId, id);
  if (parsed.success) return parsed.data;
  throw new ValidationError({
    field: "project",
    message: `The id ${id} ${parsed.error.issues[0]?.message ?? "is not valid"}.`,
  });
};

const summaryOf = (record: Omit<ResourceRecord, "body">): ResourceSummaryReply => ({
  kind: record.kind,
  id: record.id,
  serverId: record.serverId,
  revision: record.revision,
  version: record.version,
  contentSha256: record.contentSha256,
  deleted: record.deleted,
  updatedBy: record.updatedBy,
  updatedAt: new Date(record.updatedAtEpochMs).toISOString(),
  ...(record.changesetDigest === undefined ? {} : { changesetDigest: record.changesetDigest }),
  ...(record.planId === undefined ? {} : { planId: record.planId }),
});

const bodyOf = (record: ResourceRecord): Partial<ProjectBody> =>
  record.deleted ? {} : projectBody.parse(record.body);

const projectReply = (status: 200 | 201, { record, body }: ProjectRevision): ApiReply => {
  const reply: ProjectReply = { ...summaryOf(record), ...body };
  return jsonReply(status, reply, { etag: `"${record.revision}"` });
};
