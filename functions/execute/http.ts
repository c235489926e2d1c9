import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { type Environment, readEnvironment, signingEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { wireHints, wireMovingStores, wireTools } from "../run-ports.ts";
import { wireSigner } from "../signer.ts";
import { executeEndpoints } from "./endpoints.ts";

/** Entry: submit and control plans. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(signingEnvironment, environment);
  const stores = wireMovingStores(settings, ports);
  const { client, tableName, contentOf } = stores;
  const quotas = wireQuotas(environment, settings, ports.clock);
  return httpFunction({
    endpoints: executeEndpoints({
      ...stores,
      resources: dynamodbResourceStore({ client, tableName, content: contentOf }),
      hints: wireHints(settings),
      tools: wireTools(),
      quota: quotas.submissions,
      signer: wireSigner(settings),
      version: settings.PLANLEDGER_VERSION,
      clock: ports.clock,
      ids: ports.ids,
      log: ports.log,
    }),
    requests: quotas.requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
