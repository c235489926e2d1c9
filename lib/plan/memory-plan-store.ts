import type { PlanRecord } from "./compiled-plan.ts";
import type { PlanStore } from "./plan-store.ts";

/** Accepted plans in this process's memory, for tests and for runs in process. */
export function memoryPlanStore(): PlanStore {
  const plans = new Map<string, PlanRecord>();
  const enlisted = new Set<string>();
  const name = (tenant: string, planId: string) => JSON.stringify([tenant, planId]);
  return {
    async create(record) {
      const key = name(record.tenant, record.planId);
      const standing = plans.get(key) ?? structuredClone(record);
      plans.set(key, standing);
      return structuredClone(standing);
    },
    async enlist({ tenant, serverPlanId }) {
      enlisted.add(name(tenant, serverPlanId));
    },
    async get({ tenant, planId }) {
      return structuredClone(plans.get(name(tenant, planId)));
    },
    async resolve({ tenant, serverPlanId }) {
      if (!enlisted.has(name(tenant, serverPlanId))) return undefined;
      const found = [...plans.values()].find(
        (plan) => plan.tenant === tenant && plan.serverPlanId === serverPlanId,
      );
      return found?.planId;
    },
    async list({ tenant, limit, cursor }) {
      const newestFirst = [...plans.values()]
        .filter((plan) => plan.tenant === tenant && enlisted.has(name(tenant, plan.serverPlanId)))
        .sort((a, b) => (a.serverPlanId < b.serverPlanId ? 1 : -1));
      const rest = newestFirst.filter(({ serverPlanId }) => cursor === undefined || serverPlanId < cursor);
      const page = rest.slice(0, limit);
      const last = page.at(-1);
      return {
        plans: page.map(({ planId, serverPlanId, submittedAtEpochMs, plan }) => ({
          planId,
          serverPlanId,
          submittedAtEpochMs,
          ...(plan.name === undefined ? {} : { name: plan.name }),
        })),
        ...(rest.length > page.length && last !== undefined ? { cursor: last.serverPlanId } : {}),
      };
    },
  };
}
