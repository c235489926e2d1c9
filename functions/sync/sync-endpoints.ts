import { requireScope } from "#lib/access/require-caller.ts";
import { jsonReply } from "#lib/api/api-reply.ts";
import { type Endpoint, endpoint } from "#lib/api/endpoint.ts";
import * as routes from "#lib/api/sync-routes.ts";
import { listForSync } from "#lib/service/list-for-sync.ts";
import type { ProjectPorts } from "#lib/service/projects.ts";
import { performSyncBatch } from "#lib/service/sync-batch.ts";

/** What a sync needs: one listing over all kinds, and batches. */
export const syncEndpoints = (ports: ProjectPorts): readonly Endpoint[] => [
  endpoint(routes.listForSync, async ({ caller, query }) =>
    jsonReply(200, await listForSync(ports.resources, { ...query, tenant: caller.tenant })),
  ),
  endpoint(routes.syncBatch, async ({ caller, body }) => {
    const { operations } = body;
    if (operations.some(({ op }) => op !== "get")) requireScope(caller, "resources:write");
    return jsonReply(200, { results: await performSyncBatch(ports, { caller, operations }) });
  }),
];
