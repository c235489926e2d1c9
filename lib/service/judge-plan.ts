import type { Caller } from "../access/caller.ts";
import type { JudgeRequest } from "../api/apply-requests.ts";
import type { AcceptedReply } from "../api/plan-replies.ts";
import { ConflictError, InfrastructureError } from "../errors/planledger-error.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import { isEnded } from "../run/ended-run.ts";
import type { Frontier } from "../run/frontier.ts";
import { type Judgement, judgeChangeset } from "../run/judge-changeset.ts";
import { judgeRelease } from "../run/judge-release.ts";
import { moveEndedRun } from "../run/move-ended-run.ts";
import type { HintQueue } from "../run/run-store.ts";
import { hintOf } from "../run/watch-hint.ts";
import { acceptedApply, openPlan } from "./apply-plan.ts";
import type { ApplyPorts } from "./apply-ports.ts";
import { findChangeset } from "./find-changeset.ts";

export interface JudgePorts extends ApplyPorts {
  readonly hints: HintQueue;
}

/** A waiting run is moved by few; so many lost races in a row mean that something is wrong. */
const maxAttempts = 50;

/**
 * Approves or rejects a digest: of the sealed changeset, of one derived from it, or of the decision at which a run under
 * `review` waits. An approval needs another principal than those who submitted and resumed the plan, or chose what of it
 * is to land by deriving the changeset (`self_approval`); who asked for something may always reject it.
 */
export const judgePlan = async (
  ports: JudgePorts,
  order: {
    readonly caller: Caller;
    readonly planId: string;
    readonly verdict: Judgement["verdict"];
    readonly request: JudgeRequest;
  },
): Promise<AcceptedReply> => {
  const { plan, latest } = await openPlan(ports, order);
  const { verdict } = order;
  const { digest, reason } = order.request;
  const judgement = (): Judgement => ({
    digest,
    verdict,
    by: order.caller.principal,
    ...(reason === undefined ? {} : { reason }),
    nowEpochMs: ports.clock.now(),
  });
  const check = async (frontier: Frontier): Promise<void> => {
    if (verdict !== "approved") return;
    await requireOther(ports, { plan, frontier, digest, by: order.caller.principal });
  };
  const first = await latest();
  if (!isEnded(first) && (first.waitingFor !== undefined || first.release?.digest === digest)) {
    await check(first);
    const frontier = await release(ports, latest, judgement);
    return acceptedApply(
      plan,
      frontier,
      `Decision ${frontier.release?.decisionId} is ${verdict}; the run goes on.`,
    );
  }
  const { frontier } = await moveEndedRun(
    latest,
    async (current) => {
      await findChangeset(ports, current, digest);
      await check(current);
      return judgeChangeset(current, judgement());
    },
    ports,
  );
  return acceptedApply(plan, frontier, `The changeset ${digest} is ${verdict}.`);
};

const release = async (
  ports: JudgePorts,
  latest: () => Promise<Frontier>,
  judgement: () => Judgement,
): Promise<Frontier> => {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const frontier = await latest();
    const next = judgeRelease(frontier, judgement());
    if (next !== undefined && !(await ports.frontiers.move(next))) continue;
    const standing = next ?? frontier;
    // The reconciler sends it too, should this one be lost.
    if (standing.state.phase !== "paused") await ports.hints.send(hintOf(standing));
    return standing;
  }
  throw new InfrastructureError({
    message: "The plan moved on again and again while its decision was to be approved. Try again.",
  });
};

/** Nobody approves what they asked for, whichever of their tokens they send. */
const requireOther = async (
  ports: Pick<ApplyPorts, "runs" | "derived">,
  asking: {
    readonly plan: PlanRecord;
    readonly frontier: Frontier;
    readonly digest: string;
    readonly by: string;
  },
): Promise<void> => {
  const { plan, frontier, by } = asking;
  const { tenant, planId } = plan;
  const [runs, derivers] = await Promise.all([
    Promise.all(
      Array.from({ length: frontier.run }, (_, index) =>
        ports.runs.getRun({ tenant, planId, run: index + 1 }),
      ),
    ),
    deriversOf(ports, { tenant, planId, digest: asking.digest }),
  ]);
  const deed = deedOf(by, {
    submitted: [plan.submittedBy],
    resumed: runs.flatMap((run) => run?.requestedBy ?? []),
    "made this changeset of": derivers,
  });
  if (deed === undefined) return;
  throw new ConflictError({
    code: "self_approval",
    message: `${by} ${deed} plan ${planId} and cannot approve it, with whatever token. Ask another principal.`,
    details: { principal: by, submittedBy: plan.submittedBy },
  });
};

const deedOf = (by: string, deeds: Readonly<Record<string, readonly string[]>>): string | undefined =>
  Object.entries(deeds).find(([, principals]) => principals.includes(by))?.[0];

/** A derived changeset rarely stands on more than a few others. */
const maxDepth = 32;

/** Who made a derived changeset, and those that it stands on; a rollback is its maker's alone. */
const deriversOf = async (
  { derived }: Pick<ApplyPorts, "derived">,
  key: { readonly tenant: string; readonly planId: string; readonly digest: string },
): Promise<readonly string[]> => {
  const makers: string[] = [];
  let { digest } = key;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const found = await derived.get({ ...key, digest });
    if (found === undefined) break;
    if (found.derivedBy !== undefined) makers.push(found.derivedBy);
    if (found.kind === "rollback") break;
    digest = found.of;
  }
  return makers;
};
