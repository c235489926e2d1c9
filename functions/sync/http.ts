import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { type Environment, readEnvironment, storeEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { tenantStores } from "../stores.ts";
import { contentEndpoints } from "./content-endpoints.ts";
import { itemEndpoints } from "./item-endpoints.ts";
import { projectEndpoints } from "./project-endpoints.ts";
import { syncEndpoints } from "./sync-endpoints.ts";

/** Entry: content and resources. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(storeEnvironment, environment);
  const storesOf = tenantStores({ environment: settings, clock: ports.clock });
  const resources = dynamodbResourceStore({
    client: dynamodbClient(settings),
    tableName: settings.TABLE_NAME,
    content: (tenant) => storesOf(tenant).content,
  });
  const resourcePorts = { resources, storesOf, clock: ports.clock, ids: ports.ids };
  const quotas = wireQuotas(environment, settings, ports.clock);
  return httpFunction({
    endpoints: [
      ...contentEndpoints({ storesOf, quota: quotas.content }),
      ...projectEndpoints(resourcePorts),
      ...itemEndpoints(resourcePorts),
      ...syncEndpoints(resourcePorts),
    ],
    requests: quotas.requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
