import { decidingEnvironment, type Environment, readEnvironment } from "../environment.ts";
import { type HttpHandler, httpFunction } from "../http-function.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { wireApplyPorts, wireHints, wireTools } from "../run-ports.ts";
import { applyEndpoints } from "./endpoints.ts";

/** Entry: decide about changesets, and begin to apply them. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): HttpHandler => {
  const settings = readEnvironment(decidingEnvironment, environment);
  return httpFunction({
    endpoints: applyEndpoints({
      ...wireApplyPorts(settings, ports),
      hints: wireHints(settings),
      tools: wireTools(),
    }),
    requests: wireQuotas(environment, settings, ports.clock).requests,
    clock: ports.clock,
    log: ports.log,
    checkReplies: settings.PLANLEDGER_CHECK_REPLIES === "true",
  });
};

export const handler = lazyHandler(() => createHandler(process.env));
