import { initialDigest } from "../changeset/digest.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { IdSource } from "./clock.ts";
import { ledgerGenesis } from "./ledger-chain.ts";
import type { RunRecord } from "./run-record.ts";

/** Run 1 of an accepted plan: all of its decisions, from the pinned bases. */
export const firstRun = (plan: PlanRecord, ids: IdSource): RunRecord => {
  const { tenant, planId } = plan;
  const baseTrees = Object.fromEntries(plan.plan.resources.map(({ name, baseTree }) => [name, baseTree]));
  return {
    v: 1,
    tenant,
    planId,
    run: 1,
    changesetId: ids.ulid(),
    requestedBy: plan.submittedBy,
    requestedAtEpochMs: plan.submittedAtEpochMs,
    list: { kind: "all" },
    decisionCount: plan.plan.decisionCount,
    startsFrom: {
      chainHead: initialDigest(planId, baseTrees),
      ledgerHead: ledgerGenesis(planId, plan.documentSha256),
      lastSeq: 0,
    },
    ...(plan.plan.automationProfile === "auto" ? { autoApply: true as const } : {}),
  };
};
