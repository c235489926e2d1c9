import { checkTarget } from "../apply/check-target.ts";
import type { ApplyConflict } from "../apply/net-change.ts";
import { ConflictError } from "../errors/planledger-error.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import { requireApplicable } from "../run/apply-gate.ts";
import { revisionBeforeApply, startApply } from "../run/apply-moves.ts";
import type { Frontier } from "../run/frontier.ts";
import type { HeadMove } from "../run/frontier-move.ts";
import type { ApplyPorts } from "./apply-ports.ts";
import { readTarget, requireProfile, writtenResource } from "./apply-target.ts";
import { changesetChanges } from "./changeset-changes.ts";
import { type FoundChangeset, findChangeset } from "./find-changeset.ts";
import { requireLanded } from "./find-landed.ts";
import { madeRevision } from "./land-changeset.ts";

/** Conflicts that a refusal or a status lists. */
export const listedConflicts = 20;

export interface ApplyOrder {
  readonly by: string;
  readonly digest: string;
  readonly allowFailed: boolean;
}

/**
 * The move that begins an apply, once everything that can refuse it was asked: the digest, the gate, the phase, then every
 * entry against the project as it is now. Nothing is written here.
 */
export async function applyMove(
  ports: ApplyPorts,
  { plan, frontier }: { readonly plan: PlanRecord; readonly frontier: Frontier },
  order: ApplyOrder,
): Promise<HeadMove> {
  const found = await findChangeset(ports, frontier, order.digest);
  const { derived: _, ...changeset } = found;
  const profile = plan.plan.automationProfile;
  const ended = requireApplicable(frontier, changeset, { profile, allowFailed: order.allowFailed });
  // Made twice, and carried out once: the other one finds nothing that it could undo.
  if (changeset.undoes !== undefined) await requireLanded(ports, frontier, changeset.undoes);
  const resource = writtenResource(plan);
  const { project } = resource;
  const target = await readTarget(ports, { tenant: plan.tenant, project });
  requireProfile({ profile, project, settings: target.body.settings });
  const { digest } = changeset;
  const latest = target.record.revision;
  const after = revisionBeforeApply(ended, { digest, project, latest });
  const start = startApply(ended, {
    changeset,
    by: order.by,
    project,
    revisionAtStart: after,
    nowEpochMs: ports.clock.now(),
  });
  const key = { tenant: plan.tenant, kind: "projects", id: project } as const;
  // One that was given up, and had made its revision all the same, is in nobody's way.
  if ((await madeRevision(ports.resources, key, { digest, after, latest })) !== undefined) return start;
  const { changes } = await changesetChanges(ports, frontier, { changeset: found, resource });
  const { trees } = ports.storesOf(plan.tenant);
  const conflicts = await checkTarget({ trees, root: target.body.tree, changes });
  if (conflicts.length === 0) return start;
  throw targetMoved({ planId: plan.planId, project, changeset: found, conflicts });
}

function targetMoved(moved: {
  readonly planId: string;
  readonly project: string;
  readonly changeset: FoundChangeset;
  readonly conflicts: readonly ApplyConflict[];
}): ConflictError {
  const { planId, project, changeset, conflicts } = moved;
  const { digest, kind, undoes } = changeset;
  const next =
    kind === "rollback"
      ? `Make the rollback again (POST /v1/plans/${planId}/changesets { "kind": "rollback", "of": "${undoes}" }): it says what later work stands on.`
      : `Make a changeset that is merged onto it (POST /v1/plans/${planId}/changesets { "kind": "merge", "of": "${digest}" }), review that, and apply its digest.`;
  return new ConflictError({
    code: "target_moved",
    message: `The project ${project} is not what the changeset ${digest} was made on: ${conflicts.length === 1 ? "one path is" : `${conflicts.length} paths are`} in the way, ${JSON.stringify(conflicts[0]?.path)} the first. Nothing was changed. ${next}`,
    details: {
      digest,
      project,
      conflicts: conflicts.slice(0, listedConflicts),
      conflictCount: conflicts.length,
    },
  });
}
