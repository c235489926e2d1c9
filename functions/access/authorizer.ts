import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { type JudgeJwt, noJwts } from "#lib/access/judge-jwt.ts";
import type { Clock } from "#lib/run/clock.ts";
import { dynamodbClient } from "../aws-clients.ts";
import {
  type AuthorizerEnvironment,
  authorizerEnvironment,
  type Environment,
  readEnvironment,
} from "../environment.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { loadedOnce } from "../loaded-once.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { type AuthorizerHandler, authorizerFunction } from "./authorizer-function.ts";

/** Entry: the gateway's authorizer. */
export const createHandler = (
  environment: Environment,
  ports: ProcessPorts = processPorts,
): AuthorizerHandler => {
  const settings = readEnvironment(authorizerEnvironment, environment);
  const tokens = dynamodbTokenStore({ client: dynamodbClient(settings), tableName: settings.TABLE_NAME });
  return authorizerFunction({
    tokens,
    judgeJwt: wireJwts(settings, ports.clock),
    clock: ports.clock,
    log: ports.log,
  });
};

/** What judges JWTs is loaded for the first one; its keys are kept for as long as the process lives. */
const wireJwts = (settings: AuthorizerEnvironment, clock: Clock): JudgeJwt => {
  if (settings.JWT_ISSUER === "none") return noJwts;
  const judge = loadedOnce(async () => {
    const { oidcIssuer } = await import("#lib/access/oidc-issuer.ts");
    return oidcIssuer({
      issuer: settings.JWT_ISSUER,
      audience: settings.JWT_AUDIENCE,
      tenantClaim: settings.JWT_TENANT_CLAIM,
      principalClaim: settings.JWT_PRINCIPAL_CLAIM,
      clock,
    });
  });
  return async (jwt) => (await judge())(jwt);
};

export const handler = lazyHandler(() => createHandler(process.env));
