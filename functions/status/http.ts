import { type Environment, readEnvironment, storeEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { wirePlanStores } from "../run-ports.ts";
import { planEndpoints } from "./plan-endpoints.ts";

/** Entry: everything that is read of plans. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(storeEnvironment, environment);
  return httpFunction({
    endpoints: planEndpoints(wirePlanStores(settings, ports)),
    requests: wireQuotas(environment, settings, ports.clock).requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
