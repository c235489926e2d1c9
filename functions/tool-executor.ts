import type { Clock } from "#lib/run/clock.ts";
import type { OpenExecutor } from "#lib/run/decision-executor.ts";
import { openStoredExecutor } from "#lib/service/stored-executor.ts";
import type { StoresOf } from "#lib/service/tenant-stores.ts";
import { ToolRunner } from "#lib/tools/tool-runner.ts";
import { serviceTools } from "./service-tools.ts";

/** What runs decisions, with all that tools need: loaded when the first is to run. */
export const toolExecutor = (ports: { readonly storesOf: StoresOf; readonly clock: Clock }): OpenExecutor =>
  openStoredExecutor({
    treesOf: (tenant) => ports.storesOf(tenant).trees,
    runner: new ToolRunner({ registry: serviceTools() }),
    clock: ports.clock,
  });
