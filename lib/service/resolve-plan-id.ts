import { NotFoundError } from "../errors/planledger-error.ts";
import { identifierPattern, isServerPlanId } from "../plan/plan-id.ts";
import type { PlanStore } from "../plan/plan-store.ts";

export const planNotFound = (planId: string): NotFoundError =>
  new NotFoundError({ code: "not_found", message: `There is no plan ${planId}.`, details: { planId } });

/** The caller's id of a plan, from either of its ids. An id that can be none is one of no plan. */
export const resolvePlanId = async (
  plans: Pick<PlanStore, "resolve">,
  key: { readonly tenant: string; readonly planId: string },
): Promise<string> => {
  if (!identifierPattern.test(key.planId)) throw planNotFound(key.planId);
  if (!isServerPlanId(key.planId)) return key.planId;
  const planId = await plans.resolve({ tenant: key.tenant, serverPlanId: key.planId });
  if (planId === undefined) throw planNotFound(key.planId);
  return planId;
};
