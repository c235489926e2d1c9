import { loggedDecisions } from "#lib/run/logged-decisions.ts";
import { loggedEnds } from "#lib/run/logged-ends.ts";
import type { RunPorts } from "#lib/run/run-ports.ts";
import type { OutsideEnvironment, SigningEnvironment } from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";
import type { ProcessPorts } from "./process-ports.ts";
import { wireHints, wireMovingStores } from "./run-ports.ts";
import { wireSigner } from "./signer.ts";

/** All that the engine needs. */
export const wireRunPorts = (
  environment: SigningEnvironment & OutsideEnvironment,
  ports: ProcessPorts,
): RunPorts => {
  const stores = wireMovingStores(environment, ports);
  const { storesOf } = stores;
  const executor = loadedOnce(async () =>
    (await import("./tool-executor.ts")).toolExecutor(environment, { storesOf, clock: ports.clock }),
  );
  return {
    ...stores,
    steps: loggedDecisions(stores.steps, ports.log),
    frontiers: loggedEnds(stores.frontiers, ports.log),
    hints: wireHints(environment),
    openExecutor: async (plan, state) => (await executor())(plan, state),
    signer: wireSigner(environment),
    clock: ports.clock,
    timer: ports.timer,
    version: environment.PLANLEDGER_VERSION,
  };
};
