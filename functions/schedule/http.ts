import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { dynamodbSourceRunStore } from "#lib/source/dynamodb-source-run-store.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { type Environment, readEnvironment, scheduleEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { wireTools } from "../run-ports.ts";
import { planScheduleStore, syncSourceStore, wireSourceQueue } from "../schedule-stores.ts";
import { tenantStores } from "../stores.ts";
import { scheduleEndpoints } from "./schedule-endpoints.ts";
import { sourceEndpoints } from "./source-endpoints.ts";

/** Entry: plan schedules and sync sources. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(scheduleEnvironment, environment);
  const storesOf = tenantStores({ environment: settings, clock: ports.clock });
  const table = { client: dynamodbClient(settings), tableName: settings.TABLE_NAME };
  const resources = dynamodbResourceStore({ ...table, content: (tenant) => storesOf(tenant).content });
  return httpFunction({
    endpoints: [
      ...scheduleEndpoints({
        schedules: planScheduleStore({ ...table, ids: ports.ids }),
        tools: wireTools(),
        clock: ports.clock,
        ...{ resources, storesOf },
      }),
      ...sourceEndpoints({
        sources: syncSourceStore({ ...table, ids: ports.ids }),
        runs: dynamodbSourceRunStore(table),
        queue: wireSourceQueue(settings),
        ...{ clock: ports.clock, ids: ports.ids, log: ports.log },
      }),
    ],
    requests: wireQuotas(environment, settings, ports.clock).requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
