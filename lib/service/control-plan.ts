import type { Caller } from "../access/caller.ts";
import type { AcceptedReply } from "../api/plan-replies.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import { type ControlCaller, type ControlPorts, cancelPlan, pausePlan } from "../run/control-run.ts";
import type { Frontier } from "../run/frontier.ts";
import { phaseOf } from "../run/phase-of.ts";
import type { PlanKey } from "../run/run-store.ts";
import { counted } from "./counted.ts";
import { planNotFound, resolvePlanId } from "./resolve-plan-id.ts";

export interface ControlPlanPorts extends ControlPorts {
  readonly plans: Pick<PlanStore, "get" | "resolve">;
}

export interface ControlOrder {
  readonly caller: Caller;
  /** Either of the plan's ids. */
  readonly planId: string;
  readonly reason?: string | undefined;
}

/** Pauses the latest run. Nothing becomes final once this returned. */
export const pause = (ports: ControlPlanPorts, order: ControlOrder): Promise<AcceptedReply> =>
  controlled(ports, order, async (key, by) => {
    const frontier = await pausePlan(key, by, ports);
    return {
      frontier,
      message: `Plan ${key.planId} is paused after ${counted(frontier.position, "decision")}.`,
    };
  });

/** Cancels the latest run; its changeset is sealed and kept. */
export const cancel = (ports: ControlPlanPorts, order: ControlOrder): Promise<AcceptedReply> =>
  controlled(ports, order, async (key, by) => {
    const frontier = await cancelPlan(key, by, ports);
    const message =
      frontier.state.phase === "cancelling"
        ? `Plan ${key.planId} will be cancelled when the external call under way is over.`
        : `Plan ${key.planId} is cancelled after ${counted(frontier.position, "decision")}.`;
    return { frontier, message };
  });

/** Finds the plan, does the move, and says where the run stands. */
export const controlled = async (
  ports: ControlPlanPorts,
  order: ControlOrder,
  move: (
    key: PlanKey,
    by: ControlCaller,
    plan: PlanRecord,
  ) => Promise<{ readonly frontier: Frontier; readonly message: string }>,
): Promise<AcceptedReply> => {
  const { tenant, principal } = order.caller;
  const planId = await resolvePlanId(ports.plans, { tenant, planId: order.planId });
  const plan = await ports.plans.get({ tenant, planId });
  if (plan === undefined) throw planNotFound(order.planId);
  const { frontier, message } = await move(
    { tenant, planId },
    { by: principal, ...(order.reason === undefined ? {} : { reason: order.reason }) },
    plan,
  );
  return {
    planId,
    serverPlanId: plan.serverPlanId,
    status: phaseOf(frontier),
    run: frontier.run,
    message,
  };
};
