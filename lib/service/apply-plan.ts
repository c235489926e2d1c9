import type { Caller } from "../access/caller.ts";
import type { ApplyRequest } from "../api/apply-requests.ts";
import type { AcceptedReply } from "../api/plan-replies.ts";
import { ConflictError } from "../errors/planledger-error.ts";
import { faultFields } from "../log/fault-fields.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { Frontier } from "../run/frontier.ts";
import { moveEndedRun } from "../run/move-ended-run.ts";
import { phaseOf } from "../run/phase-of.ts";
import { hintOf } from "../run/watch-hint.ts";
import type { ApplyPorts } from "./apply-ports.ts";
import { findChangeset } from "./find-changeset.ts";
import { planKeyOf } from "./plan-view-ports.ts";
import { planNotFound } from "./resolve-plan-id.ts";
import { applyMove } from "./start-apply.ts";

/**
 * Begins the apply of exactly this digest to the plan's project: all that can refuse it is asked first, then one conditional
 * write makes the plan `applying`. The rest is done through the queue; should the message be lost, the reconciler sends it
 * again.
 */
export const applyPlan = async (
  ports: ApplyPorts,
  order: { readonly caller: Caller; readonly planId: string; readonly request: ApplyRequest },
): Promise<AcceptedReply> => {
  const { plan, latest } = await openPlan(ports, order);
  const { digest, only, allowFailed = false } = order.request;
  if (only !== undefined) {
    throw new ConflictError({
      code: "derived_changeset_needed",
      message: `A part of a changeset is applied under a digest of its own: make it (POST /v1/plans/${plan.planId}/changesets { "kind": "partial", "of": "${digest}", "only": […] }), review it, and apply its digest.`,
      details: { kind: "partial", of: digest, only },
    });
  }
  return begin(ports, { plan, latest, digest, allowFailed, by: order.caller.principal });
};

/** The same for a rollback changeset, and for nothing else. */
export const rollbackPlan = async (
  ports: ApplyPorts,
  order: { readonly caller: Caller; readonly planId: string; readonly digest: string },
): Promise<AcceptedReply> => {
  const { plan, latest } = await openPlan(ports, order);
  const { digest } = order;
  const { kind } = await findChangeset(ports, await latest(), digest);
  if (kind !== "rollback") {
    throw new ConflictError({
      code: "derived_changeset_needed",
      message: `The digest ${digest} is not that of a rollback: make one of what was applied (POST /v1/plans/${plan.planId}/changesets { "kind": "rollback", "of": "${digest}" }), review it, and send its digest.`,
      details: { kind: "rollback", of: digest },
    });
  }
  return begin(ports, { plan, latest, digest, allowFailed: true, by: order.caller.principal });
};

const begin = async (
  ports: ApplyPorts,
  order: OpenedPlan & {
    readonly digest: string;
    readonly allowFailed: boolean;
    readonly by: string;
  },
): Promise<AcceptedReply> => {
  const { plan, latest } = order;
  const { frontier } = await moveEndedRun(
    latest,
    (current) => applyMove(ports, { plan, frontier: current }, order),
    ports,
  );
  await sendApply(ports, frontier);
  return acceptedApply(plan, frontier, `The changeset ${order.digest} is being applied.`);
};

/** A message that is lost here is sent by the reconciler: the apply is accepted either way. */
const sendApply = async (ports: Pick<ApplyPorts, "applies" | "log">, frontier: Frontier): Promise<void> => {
  try {
    await ports.applies.send(hintOf(frontier));
  } catch (fault) {
    const { tenant, planId, run } = frontier;
    ports.log.write({ level: "warn", event: "apply_not_sent", tenant, planId, run, ...faultFields(fault) });
  }
};

interface OpenedPlan {
  readonly plan: PlanRecord;
  latest(): Promise<Frontier>;
}

/** A plan by either of its ids, and how to read where its latest run stands. */
export const openPlan = async (
  ports: ApplyPorts,
  { caller, planId }: { readonly caller: Caller; readonly planId: string },
): Promise<OpenedPlan> => {
  const key = await planKeyOf(ports, caller, planId);
  const plan = await ports.plans.get(key);
  if (plan === undefined) throw planNotFound(planId);
  return {
    plan,
    async latest() {
      const frontier = await ports.frontiers.latest(key);
      if (frontier === undefined) throw planNotFound(planId);
      return frontier;
    },
  };
};

export const acceptedApply = (plan: PlanRecord, frontier: Frontier, message: string): AcceptedReply => ({
  planId: plan.planId,
  serverPlanId: plan.serverPlanId,
  status: phaseOf(frontier),
  run: frontier.run,
  message,
});
