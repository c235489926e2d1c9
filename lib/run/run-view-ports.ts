import type { ContentStore } from "../content/content-store.ts";
import { NotFoundError } from "../errors/planledger-error.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import type { Frontier } from "./frontier.ts";
import { loadRunPlan, type RunPlan } from "./run-decisions.ts";
import type { RunRecord } from "./run-record.ts";
import type { FrontierStore, PlanKey, RunKey, RunRecordStore, StepStore } from "./run-store.ts";

/** What reading runs needs; nothing of it writes. */
export interface RunViewPorts {
  readonly plans: Pick<PlanStore, "get">;
  readonly frontiers: Pick<FrontierStore, "read" | "latest">;
  readonly runs: RunRecordStore;
  readonly steps: Pick<StepStore, "get" | "range">;
  readonly contentOf: (tenant: string) => ContentStore;
}

/** A run as it stands: its record, its frontier, its decisions. */
export interface RunView {
  readonly plan: PlanRecord;
  readonly run: RunRecord;
  readonly frontier: Frontier;
  readonly runPlan: RunPlan;
}

/** Without `run` the plan's latest. A run that is not there is a `NotFoundError`. */
export async function openRunView(
  key: PlanKey & { readonly run?: number },
  ports: RunViewPorts,
): Promise<RunView> {
  const { tenant, planId } = key;
  const frontier =
    key.run === undefined
      ? await ports.frontiers.latest({ tenant, planId })
      : await ports.frontiers.read({ tenant, planId, run: key.run });
  const runKey: RunKey = { tenant, planId, run: frontier?.run ?? key.run ?? 1 };
  const [plan, run] = await Promise.all([ports.plans.get(runKey), ports.runs.getRun(runKey)]);
  if (frontier === undefined || plan === undefined || run === undefined) {
    throw new NotFoundError({
      code: "not_found",
      message:
        key.run === undefined || plan === undefined
          ? `There is no plan ${planId}.`
          : `There is no run ${key.run} of plan ${planId}.`,
      details: { planId, run: runKey.run },
    });
  }
  return { plan, run, frontier, runPlan: await loadRunPlan({ plan, run }, ports.contentOf(tenant)) };
}
