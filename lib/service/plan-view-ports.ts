import type { Caller } from "../access/caller.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import type { PlanKey } from "../run/run-store.ts";
import type { RunViewPorts } from "../run/run-view-ports.ts";
import { resolvePlanId } from "./resolve-plan-id.ts";
import type { StoresOf } from "./tenant-stores.ts";

/** What reading plans needs. */
export interface PlanViewPorts extends RunViewPorts {
  readonly plans: Pick<PlanStore, "get" | "resolve" | "list">;
  readonly storesOf: StoresOf;
}

/** Which plan a caller means, by either of its ids; `not_found` for an id that is nobody's. */
export const planKeyOf = async (ports: PlanViewPorts, caller: Caller, planId: string): Promise<PlanKey> => ({
  tenant: caller.tenant,
  planId: await resolvePlanId(ports.plans, { tenant: caller.tenant, planId }),
});
