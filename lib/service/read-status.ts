import type { PlanStatusReply } from "../api/plan-replies.ts";
import type { Frontier } from "../run/frontier.ts";
import { phaseOf } from "../run/phase-of.ts";
import { readFailures } from "../run/read-failures.ts";
import type { PlanKey } from "../run/run-store.ts";
import { openRunView, type RunView } from "../run/run-view-ports.ts";
import { counted } from "./counted.ts";
import { dispositionMessage, dispositionReply } from "./disposition-reply.ts";
import { failureReplyOf } from "./failure-reply.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";
import { runCost } from "./run-cost.ts";

/** The status of a plan after one of its runs (the latest without `run`); what landed in earlier runs counts as landed. */
export const readStatus = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
): Promise<PlanStatusReply> => {
  const view = await openRunView(key, ports);
  const { plan, run, frontier } = view;
  const [earlier, { failures, truncated }, inProgress] = await Promise.all([
    earlierFrontiers(ports, frontier),
    readFailures(frontier, ports),
    decisionInProgress(view),
  ]);
  const runs = [...earlier, frontier];
  const entries = runs.reduce((sum, { counts }) => sum + counts.entries, 0);
  const total = plan.plan.decisionCount;
  const counts = {
    total,
    pending: frontier.decisionCount - frontier.position,
    landed: total - run.decisionCount + frontier.counts.landed,
    failed: frontier.counts.failed,
    skipped: frontier.counts.skipped,
  };
  const phase = phaseOf(frontier);
  const project = plan.plan.resources.find(({ access }) => access === "write")?.project;
  const noChanges = frontier.state.phase === "completed" && entries === 0;
  const cost = runCost(runs.map(({ units }) => units));
  return {
    planId: plan.planId,
    serverPlanId: plan.serverPlanId,
    ...(plan.plan.name === undefined ? {} : { name: plan.plan.name }),
    phase,
    message: dispositionMessage(frontier) ?? messageOf(frontier, counts, noChanges),
    run: frontier.run,
    changesetId: frontier.changesetId,
    ...(project === undefined ? {} : { project }),
    automationProfile: plan.plan.automationProfile,
    ...("digest" in frontier.state ? { digest: frontier.state.digest } : {}),
    counts,
    toolCalls: runs.reduce((sum, one) => sum + one.counts.toolCalls, 0),
    entries,
    noChanges,
    failures: failures.flatMap((record) => failureReplyOf(record) ?? []),
    failuresTruncated: truncated,
    ...(inProgress === undefined ? {} : { inProgress }),
    ...dispositionReply(frontier),
    ...(frontier.startedAtEpochMs === undefined
      ? {}
      : { startedAt: new Date(frontier.startedAtEpochMs).toISOString() }),
    ...("endedAtEpochMs" in frontier.state
      ? { endedAt: new Date(frontier.state.endedAtEpochMs).toISOString() }
      : {}),
    cost: { ...cost, units: { ...cost.units } },
    costUsd: cost.costUsd,
  };
};

const earlierFrontiers = async (
  ports: PlanViewPorts,
  { tenant, planId, run }: Frontier,
): Promise<readonly Frontier[]> => {
  const found = await Promise.all(
    Array.from({ length: run - 1 }, (_, index) => ports.frontiers.read({ tenant, planId, run: index + 1 })),
  );
  return found.flatMap((frontier) => frontier ?? []);
};

const decisionInProgress = async ({ frontier, runPlan }: RunView): Promise<PlanStatusReply["inProgress"]> => {
  const { state, position, decisionCount, intent } = frontier;
  if (state.phase !== "running" && state.phase !== "cancelling") return undefined;
  if (position >= decisionCount) return undefined;
  const { id } = await runPlan.at(position);
  return { decisionId: id, ...(intent === undefined ? {} : { callOrdinal: intent.callOrdinal }) };
};

const messageOf = (frontier: Frontier, counts: PlanStatusReply["counts"], noChanges: boolean): string => {
  const { phase } = frontier.state;
  const decisions = counted(counts.total, "decision");
  const final = `${counts.total - counts.pending} of ${decisions} final`;
  const allLanded = counts.total === 1 ? "its decision landed" : `all ${decisions} landed`;
  const outcome = `${counts.landed} landed, ${counts.failed} failed, ${counts.skipped} skipped`;
  switch (phase) {
    case "submitted":
      return "Submitted; waiting for a worker.";
    case "running":
      return `Running: ${final}.`;
    case "paused":
      return `Paused: ${final}. Resume it to go on.`;
    case "cancelling":
      return `Being cancelled: waiting for the external call under way. ${final}.`;
    case "completed":
      return noChanges ? `Completed without changes: ${allLanded}.` : `Completed: ${allLanded}.`;
    case "failed":
      return `Failed: of ${decisions} ${outcome}. Resume it, with corrected tool calls where needed, to run what did not land.`;
    case "cancelled":
      return `Cancelled: of ${decisions} ${outcome}, ${counts.pending} never ran.`;
    default:
      return phase satisfies never;
  }
};
