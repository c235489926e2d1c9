import { describeEnvironment, type Environment, readEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { loadedOnce } from "../loaded-once.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { serviceEndpoints } from "./service-endpoints.ts";

/**
 * Entry: what the service says of itself, and the answer to what no route takes. It reads nothing, and alone knows every route
 * (they are loaded for the first request) and needs what makes JSON Schemas.
 */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(describeEnvironment, environment);
  const loaded = loadedOnce(async () =>
    httpFunction({
      routes: (await import("#lib/api/routes.ts")).routes,
      endpoints: serviceEndpoints({ version: settings.PLANLEDGER_VERSION }),
      clock: ports.clock,
      log: ports.log,
      checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
    }),
  );
  return async (event, context) => (await loaded())(event, context);
};

export const handler = lazyHandler(() => createHandler(process.env));
