import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import { endApply, refuseAutoApply } from "../run/apply-moves.ts";
import type { ApplyOutcome, ApplyUnderWay } from "../run/disposition.ts";
import { type EndedFrontier, isEnded } from "../run/ended-run.ts";
import type { Frontier } from "../run/frontier.ts";
import type { HeadMove } from "../run/frontier-move.ts";
import { moveEndedRun } from "../run/move-ended-run.ts";
import type { RunKey } from "../run/run-store.ts";
import type { ApplyPorts } from "./apply-ports.ts";
import { writtenResource } from "./apply-target.ts";
import { changesetChanges } from "./changeset-changes.ts";
import { findChangeset } from "./find-changeset.ts";
import { landChangeset } from "./land-changeset.ts";
import { planNotFound } from "./resolve-plan-id.ts";
import { applyMove } from "./start-apply.ts";

export type PerformedApply =
  | { readonly kind: "nothing_to_do" }
  | { readonly kind: "ended"; readonly digest: string; readonly outcome: ApplyOutcome };

/**
 * Carries out what a run's frontier says: an apply under way, or one that follows a completed run by itself. Any number of
 * deliveries, at any time, at the same time, do no harm. Throws `InfrastructureError` for an outage: then the message must
 * come again. Whatever else goes wrong ends the apply as failed, with the reason.
 */
export async function performApply(ports: ApplyPorts, key: RunKey): Promise<PerformedApply> {
  const [plan, opening] = await Promise.all([ports.plans.get(key), ports.frontiers.read(key)]);
  if (opening === undefined || !isEnded(opening)) return { kind: "nothing_to_do" };
  if (plan === undefined) throw planNotFound(key.planId);
  const frontier = opening.autoApply === undefined ? opening : await followRun(ports, { plan, key });
  const apply = frontier.disposition?.apply;
  if (apply === undefined) return { kind: "nothing_to_do" };
  const outcome = await outcomeOf(() => land(ports, { plan, frontier, apply }));
  await end(ports, { key, apply, outcome });
  return { kind: "ended", digest: apply.digest, outcome };
}

async function land(
  ports: ApplyPorts,
  {
    plan,
    frontier,
    apply,
  }: { readonly plan: PlanRecord; readonly frontier: Frontier; readonly apply: ApplyUnderWay },
): Promise<ApplyOutcome> {
  const changeset = await findChangeset(ports, frontier, apply.digest);
  const resource = writtenResource(plan);
  const changes = await changesetChanges(ports, frontier, { changeset, resource });
  return landChangeset(ports, { frontier, apply }, changes);
}

/** What a fault means for an apply: an outage is none of its outcomes. */
async function outcomeOf(work: () => Promise<ApplyOutcome>): Promise<ApplyOutcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PlanledgerError) || error instanceof InfrastructureError) throw error;
    return { status: "failed", code: error.code, message: error.message };
  }
}

/** Ends an apply, or leaves it as it was ended by another worker. */
async function end(
  ports: ApplyPorts,
  {
    key,
    apply,
    outcome,
  }: { readonly key: RunKey; readonly apply: ApplyUnderWay; readonly outcome: ApplyOutcome },
): Promise<Frontier> {
  const { frontier } = await moveEndedRun(
    () => readEnded(ports, key),
    (current) =>
      isEnded(current) ? endApply(current, { apply, outcome, nowEpochMs: ports.clock.now() }) : undefined,
    ports,
  );
  return frontier;
}

/** Under the profile `auto` an apply follows a completed run: it begins like any other, or is refused like any other. */
async function followRun(
  ports: ApplyPorts,
  { plan, key }: { readonly plan: PlanRecord; readonly key: RunKey },
): Promise<Frontier> {
  const begin = async (current: Frontier): Promise<HeadMove | undefined> => {
    if (!isEnded(current) || current.autoApply === undefined) return undefined;
    const { digest } = current.state;
    try {
      return await applyMove(
        ports,
        { plan, frontier: current },
        { by: "service", digest, allowFailed: false },
      );
    } catch (error) {
      if (!(error instanceof PlanledgerError) || error instanceof InfrastructureError) throw error;
      return refuseAutoApply(current, {
        changeset: { digest, kind: "sealed", whole: true },
        outcome: { status: "failed", code: error.code, message: error.message },
        nowEpochMs: ports.clock.now(),
      });
    }
  };
  const { frontier } = await moveEndedRun(() => readEnded(ports, key), begin, ports);
  return frontier;
}

async function readEnded(ports: ApplyPorts, key: RunKey): Promise<EndedFrontier> {
  const frontier = await ports.frontiers.read(key);
  if (frontier !== undefined && isEnded(frontier)) return frontier;
  throw new InfrastructureError({ message: `Run ${key.run} of plan ${key.planId} has no end (yet).` });
}

/** Deliveries of a dead letter after which the apply is given up without another try. */
const lastTries = 3;

/**
 * What the dead-letter consumer does with a message that was received too often: it tries once more, and ends the apply as
 * failed with what went wrong, so that nothing stays `applying`. Throws only when not even that could be written.
 */
export async function buryApply(
  ports: ApplyPorts,
  message: { readonly key: RunKey; readonly receiveCount: number },
): Promise<PerformedApply> {
  const { key, receiveCount } = message;
  let reason =
    "the workers that carried it out ended again and again without a result (out of memory or time, perhaps)";
  if (receiveCount <= lastTries) {
    try {
      return await performApply(ports, key);
    } catch (error) {
      reason = error instanceof PlanledgerError ? error.message : "the service failed";
    }
  }
  const frontier = await readEnded(ports, key);
  const apply = frontier.disposition?.apply;
  const outcome = {
    status: "failed",
    code: "dead_lettered",
    message: `The apply was given up: ${reason.replace(/\.$/, "")}. Nothing was changed, as far as is known; apply the same digest again.`,
  } as const;
  if (apply !== undefined) {
    await end(ports, { key, apply, outcome });
    return { kind: "ended", digest: apply.digest, outcome };
  }
  if (frontier.autoApply === undefined) return { kind: "nothing_to_do" };
  const changeset = { digest: frontier.state.digest, kind: "sealed", whole: true } as const;
  await moveEndedRun(
    () => readEnded(ports, key),
    (current) =>
      isEnded(current) && current.autoApply !== undefined
        ? refuseAutoApply(current, { changeset, outcome, nowEpochMs: ports.clock.now() })
        : undefined,
    ports,
  );
  return { kind: "ended", digest: changeset.digest, outcome };
}
