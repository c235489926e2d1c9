import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { dynamodbClient } from "../aws-clients.ts";
import { type Environment, readEnvironment, tableEnvironment } from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type AuthorizerHandler, authorizerFunction } from "./authorizer-function.ts";

/** Entry: the gateway's authorizer. */
export const createHandler = (
  environment: Environment,
  ports: ProcessPorts = processPorts,
): AuthorizerHandler => {
  const settings = readEnvironment(tableEnvironment, environment);
  const tokens = dynamodbTokenStore({ client: dynamodbClient(settings), tableName: settings.TABLE_NAME });
  return authorizerFunction({ tokens, clock: ports.clock, log: ports.log });
};

export const handler = lazyHandler(() => createHandler(process.env));
