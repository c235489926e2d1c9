import { type ApiReply, jsonReply } from "#lib/api/api-reply.ts";
import { type Endpoint, endpoint, parameter } from "#lib/api/endpoint.ts";
import type { ItemPutRequest, ItemReply } from "#lib/api/item-requests.ts";
import { itemRoutes, readProjectRevision } from "#lib/api/item-routes.ts";
import { NotFoundError, ValidationError } from "#lib/errors/planledger-error.ts";
import type { ResourceKind, ResourceRecord } from "#lib/resource/resource-store.ts";
import type { ProjectPorts } from "#lib/service/projects.ts";
import {
  deleteRevision,
  listRevisions,
  putRevision,
  readResource,
  resourceNotFound,
  settledRevision,
} from "#lib/service/resource-revisions.ts";
import { itemContent, itemOfRecord, itemRevisionContent, requiredItem } from "#lib/service/synced-item.ts";
import { defaultName } from "#lib/sync/item-content.ts";
import { expectedRevision } from "./expected-revision.ts";
import { listResources } from "./list-resources.ts";
import { readId, writtenId } from "./path-id.ts";
import { resourceSummary } from "./resource-summary.ts";

/** Actions, skills and tools; and the single revisions of projects, which have their document only there. */
export const itemEndpoints = (ports: ProjectPorts): readonly Endpoint[] => [
  ...endpointsOf(ports, "actions"),
  ...endpointsOf(ports, "skills"),
  ...endpointsOf(ports, "tools"),
  revisionEndpoint(ports, { kind: "projects", route: readProjectRevision }),
];

const endpointsOf = (ports: ProjectPorts, kind: keyof typeof itemRoutes): readonly Endpoint[] => {
  const routes = itemRoutes[kind];
  const { resources } = ports;
  return [
    endpoint(routes.list, async ({ caller, query }) =>
      listResources(resources, { ...query, tenant: caller.tenant, kind }),
    ),
    endpoint(routes.read, async (request) => {
      const key = { tenant: request.caller.tenant, kind, id: readId(request, kind) };
      return itemReply(200, await readResource(resources, key));
    }),
    endpoint(routes.revisions, async (request) => {
      const key = { tenant: request.caller.tenant, kind, id: readId(request, kind) };
      return jsonReply(200, await listRevisions(resources, { ...request.query, key }, resourceSummary));
    }),
    revisionEndpoint(ports, { kind, route: routes.revision }),
    endpoint(routes.put, async (request) => {
      const { caller, headers, body } = request;
      const id = writtenId(request, kind);
      const expected = expectedRevision(headers, body.expectedRevision);
      const document = documentOf(id, body);
      // The version of what stands is no matter of validity.
      const stores = ports.storesOf(caller.tenant);
      const known = await itemRevisionContent(stores, { kind, item: requiredItem(document("1")) });
      const order = { caller, kind, id, expectedRevision: expected };
      const outcome = await putRevision(ports, {
        ...order,
        content: (latest) =>
          body.version === undefined && latest !== undefined
            ? itemContent(requiredItem(document(latest.version)))
            : known,
      });
      const { record, created } = await settledRevision(resources, order, outcome);
      return itemReply(created ? 201 : 200, record);
    }),
    endpoint(routes.delete, async (request) => {
      const { caller, headers } = request;
      const id = writtenId(request, kind);
      const order = { caller, kind, id, expectedRevision: expectedRevision(headers, undefined) };
      const outcome = await deleteRevision(ports, order);
      if (outcome.kind === "conflict" && outcome.latest === undefined) throw resourceNotFound({ kind, id });
      await settledRevision(resources, order, outcome);
      return { status: 204, body: { kind: "empty" } };
    }),
  ];
};

const revisionEndpoint = (
  { resources }: Pick<ProjectPorts, "resources">,
  { kind, route }: { readonly kind: ResourceKind; readonly route: typeof readProjectRevision },
): Endpoint =>
  endpoint(route, async (request) => {
    const key = { tenant: request.caller.tenant, kind, id: readId(request, kind) };
    const text = parameter(request, "revision");
    const revision = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
    const record = revision === 0 ? undefined : await resources.getRevision({ ...key, revision });
    if (record !== undefined) return itemReply(200, record);
    const { message, details } = resourceNotFound(key);
    throw new NotFoundError({
      code: "not_found",
      message: `${message.replace(/\.$/, "")} with a revision ${text.slice(0, 20)}.`,
      details,
    });
  });

/** The document that a request means, given the version where it names none. */
const documentOf = (id: string, body: ItemPutRequest): ((version: string) => unknown) => {
  const { expectedRevision: _, ...members } = body;
  if (members.id !== undefined && members.id.normalize("NFC") !== id) {
    throw new ValidationError({
      field: "/id",
      message: `/id is ${JSON.stringify(members.id)}, and the path says ${id}. Leave /id out, or write under its own path.`,
    });
  }
  return (version) => ({ name: defaultName(id), metadata: {}, version, ...members, id });
};

const itemReply = (status: 200 | 201, record: ResourceRecord): ApiReply => {
  const reply: ItemReply = { ...resourceSummary(record), item: { ...itemOfRecord(record) } };
  return jsonReply(status, reply, { etag: `"${record.revision}"` });
};
