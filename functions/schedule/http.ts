import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { type Environment, readEnvironment, storeEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { wireTools } from "../run-ports.ts";
import { planScheduleStore } from "../schedule-stores.ts";
import { tenantStores } from "../stores.ts";
import { scheduleEndpoints } from "./schedule-endpoints.ts";

/** Entry: plan schedules and sync sources. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(storeEnvironment, environment);
  const storesOf = tenantStores({ environment: settings, clock: ports.clock });
  const table = { client: dynamodbClient(settings), tableName: settings.TABLE_NAME };
  const resources = dynamodbResourceStore({ ...table, content: (tenant) => storesOf(tenant).content });
  return httpFunction({
    endpoints: scheduleEndpoints({
      schedules: planScheduleStore({ ...table, ids: ports.ids }),
      tools: wireTools(),
      clock: ports.clock,
      ...{ resources, storesOf },
    }),
    requests: wireQuotas(environment, settings, ports.clock).requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
