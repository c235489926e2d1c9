import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { type Environment, readEnvironment, tableEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { accessEndpoints } from "./endpoints.ts";

/** Entry: tokens. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(tableEnvironment, environment);
  const tokens = dynamodbTokenStore({ client: dynamodbClient(settings), tableName: settings.TABLE_NAME });
  return httpFunction({
    endpoints: accessEndpoints({ ...ports, tokens }),
    requests: wireQuotas(environment, settings, ports.clock).requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
