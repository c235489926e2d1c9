import { type ApiReply, jsonReply } from "#lib/api/api-reply.ts";
import { type Endpoint, endpoint } from "#lib/api/endpoint.ts";
import type { ProjectReply, ProjectRevisionsReply } from "#lib/api/resource-requests.ts";
import * as routes from "#lib/api/resource-routes.ts";
import type { ResourceRecord } from "#lib/resource/resource-store.ts";
import {
  deleteProject,
  type ProjectBody,
  type ProjectPorts,
  type ProjectRevision,
  projectBody,
  putProject,
  readProject,
} from "#lib/service/projects.ts";
import { listRevisions } from "#lib/service/resource-revisions.ts";
import { expectedRevision } from "./expected-revision.ts";
import { listResources } from "./list-resources.ts";
import { readId, writtenId } from "./path-id.ts";
import { resourceSummary } from "./resource-summary.ts";

const kind = "projects";

/** Projects: named file trees. */
export const projectEndpoints = (ports: ProjectPorts): readonly Endpoint[] => [
  endpoint(routes.listProjects, async ({ caller, query }) =>
    listResources(ports.resources, { ...query, tenant: caller.tenant, kind }),
  ),
  endpoint(routes.readProject, async (request) => {
    const key = { tenant: request.caller.tenant, id: readId(request, kind) };
    return projectReply(200, await readProject(ports, key));
  }),
  endpoint(routes.readProjectRevisions, async (request) => {
    const key = { tenant: request.caller.tenant, kind, id: readId(request, kind) } as const;
    const page = await listRevisions(ports.resources, { ...request.query, key }, (record) => ({
      ...resourceSummary(record),
      ...filesOf(record),
    }));
    const reply: ProjectRevisionsReply = {
      revisions: [...page.revisions],
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
      id: writtenId(request, kind),
      request: { ...rest, ...(expected === undefined ? {} : { expectedRevision: expected }) },
    });
    return projectReply(project.created ? 201 : 200, project);
  }),
  endpoint(routes.deleteProject, async (request) => {
    await deleteProject(ports, {
      caller: request.caller,
      id: writtenId(request, kind),
      expectedRevision: expectedRevision(request.headers, undefined),
    });
    return { status: 204, body: { kind: "empty" } };
  }),
];

const files = ({ tree, gitTreeId, settings }: ProjectBody) => ({ tree, gitTreeId, settings });

const filesOf = (record: ResourceRecord): Partial<ProjectBody> =>
  record.deleted ? {} : files(projectBody.parse(record.body));

const projectReply = (status: 200 | 201, { record, body }: ProjectRevision): ApiReply => {
  const reply: ProjectReply = { ...resourceSummary(record), ...files(body) };
  return jsonReply(status, reply, { etag: `"${record.revision}"` });
};
