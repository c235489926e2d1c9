import { jsonReply } from "#lib/api/api-reply.ts";
import { type Endpoint, endpoint } from "#lib/api/endpoint.ts";
import * as routes from "#lib/api/plan-routes.ts";
import type { PlanStore } from "#lib/plan/plan-store.ts";
import { listPlans } from "#lib/service/list-plans.ts";

export interface PlanReadPorts {
  readonly plans: PlanStore;
}

/** What is read of plans. */
export const planEndpoints = (ports: PlanReadPorts): readonly Endpoint[] => [
  endpoint(routes.listPlans, async ({ caller, query }) =>
    jsonReply(200, await listPlans(ports, { tenant: caller.tenant, ...query })),
  ),
];
