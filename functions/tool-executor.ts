import type { Clock } from "#lib/run/clock.ts";
import type { OpenExecutor } from "#lib/run/decision-executor.ts";
import { openStoredExecutor } from "#lib/runtime/stored-executor.ts";
import { runnerOfPlan } from "#lib/service/pinned-registry.ts";
import type { StoresOf } from "#lib/service/tenant-stores.ts";
import type { AwsEnvironment, OutsideEnvironment } from "./environment.ts";
import { wireOutside } from "./outside.ts";
import { serviceTools } from "./service-tools.ts";

/** What runs decisions, with all that tools need: loaded when the first is to run. */
export const toolExecutor = (
  environment: AwsEnvironment & OutsideEnvironment,
  ports: { readonly storesOf: StoresOf; readonly clock: Clock },
): OpenExecutor => {
  const runnerOf = runnerOfPlan({ tools: serviceTools(), external: wireOutside(environment, ports.clock) });
  return async (plan, state) => {
    const open = openStoredExecutor({
      treesOf: (tenant) => ports.storesOf(tenant).trees,
      runner: runnerOf(plan),
      clock: ports.clock,
    });
    return open(plan, state);
  };
};
