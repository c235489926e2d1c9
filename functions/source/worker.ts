import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { dynamodbSourceBases } from "#lib/source/dynamodb-source-bases.ts";
import { dynamodbSourceRunStore } from "#lib/source/dynamodb-source-run-store.ts";
import { parseSourceMessage } from "#lib/source/source-message.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { type Environment, readEnvironment, sourceWorkerEnvironment } from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { loadedOnce } from "../loaded-once.ts";
import { wireOutside } from "../outside.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type QueueHandler, queueFunction } from "../queue-function.ts";
import { syncSourceStore } from "../schedule-stores.ts";
import { tenantStores } from "../stores.ts";

/** Entry: runs sync sources, on word that one is due. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): QueueHandler => {
  const settings = readEnvironment(sourceWorkerEnvironment, environment);
  const storesOf = tenantStores({ environment: settings, clock: ports.clock });
  const table = { client: dynamodbClient(settings), tableName: settings.TABLE_NAME };
  const runPorts = {
    resources: dynamodbResourceStore({ ...table, content: (tenant) => storesOf(tenant).content }),
    sources: syncSourceStore({ ...table, ids: ports.ids }),
    runs: dynamodbSourceRunStore(table),
    bases: dynamodbSourceBases(table),
    storesOf,
    ...wireOutside(settings, ports.clock),
    ...{ clock: ports.clock, ids: ports.ids, timer: ports.timer, random: ports.random, log: ports.log },
  };
  // The engine and the client are more than half of the code.
  const run = loadedOnce(async () => (await import("#lib/service/run-source.ts")).runSource);
  return queueFunction({
    log: ports.log,
    async handle({ body, remainingMs }) {
      const key = parseSourceMessage(body);
      const startedAtMs = ports.clock.now();
      const runSource = await run();
      const outcome = await runSource(runPorts, { key, remainingMs });
      ports.log.write({
        level: "info",
        event: "sync_source_ran",
        ...{ tenant: key.tenant, schedule: `sources/${key.name}`, outcome: outcome ?? "not_due" },
        durationMs: ports.clock.now() - startedAtMs,
      });
    },
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
