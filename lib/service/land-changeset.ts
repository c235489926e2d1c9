import { applyToTree } from "../apply/apply-to-tree.ts";
import { checkTarget } from "../apply/check-target.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { ResourceKey, ResourceStore } from "../resource/resource-store.ts";
import type { ApplyOutcome, ApplyUnderWay } from "../run/disposition.ts";
import type { Frontier } from "../run/frontier.ts";
import type { DirectoryRef } from "../tree/directory.ts";
import type { ApplyPorts } from "./apply-ports.ts";
import { readTarget } from "./apply-target.ts";
import { type ChangesetChanges, keepInStore } from "./changeset-changes.ts";
import { type ProjectRevision, projectContentSha256 } from "./projects.ts";

/** A project that others write all the time; after so many lost races the message comes again later. */
const maxRaces = 50;
/** Conflicts that stand on the frontier. */
const keptConflicts = 5;

/**
 * Lands a changeset on its project: one conditional write of the project's next revision, or nothing. A repeat finds the
 * revision that an earlier try made, since the apply began, by the digest. Whoever loses a race against another writer
 * checks again, against what that one left.
 */
export async function landChangeset(
  ports: Pick<ApplyPorts, "resources" | "storesOf" | "clock">,
  { frontier, apply }: { readonly frontier: Frontier; readonly apply: ApplyUnderWay },
  changes: ChangesetChanges,
): Promise<ApplyOutcome> {
  const { tenant } = frontier;
  const { content, trees } = ports.storesOf(tenant);
  const key: ResourceKey = { tenant, kind: "projects", id: apply.project };
  for (let race = 0; race < maxRaces; race += 1) {
    const target = await readTarget(ports, { tenant, project: apply.project });
    const { revision } = target.record;
    const since = { digest: apply.digest, after: apply.revisionAtStart, latest: revision };
    const made = await madeRevision(ports.resources, key, since);
    if (made !== undefined) return { status: "applied", revision: made };
    const checked = { trees, root: target.body.tree, changes: changes.changes };
    const conflicts = await checkTarget(checked);
    if (conflicts.length > 0) {
      return {
        status: "conflicts",
        revision,
        conflictCount: conflicts.length,
        conflicts: conflicts.slice(0, keptConflicts),
      };
    }
    await keepInStore(content, changes);
    const next = nextRevision(target, {
      tree: await applyToTree(checked),
      apply,
      planId: frontier.planId,
      nowEpochMs: ports.clock.now(),
    });
    if (await ports.resources.put(next)) return { status: "applied", revision: next.revision };
  }
  throw new InfrastructureError({
    message: `The project ${apply.project} was written ${maxRaces} times by others while a changeset was to be applied to it.`,
  });
}

/** The revision that an apply of a digest made after another one, if it did. */
export async function madeRevision(
  resources: Pick<ResourceStore, "getRevision">,
  key: ResourceKey,
  made: { readonly digest: string; readonly after: number; readonly latest: number },
): Promise<number | undefined> {
  for (let revision = made.latest; revision > made.after; revision -= 1) {
    const record = await resources.getRevision({ ...key, revision });
    if (record?.changesetDigest === made.digest) return revision;
  }
  return undefined;
}

function nextRevision(
  { record, body }: ProjectRevision,
  made: {
    readonly tree: DirectoryRef;
    readonly apply: ApplyUnderWay;
    readonly planId: string;
    readonly nowEpochMs: number;
  },
): ProjectRevision["record"] {
  const { tree, apply, planId, nowEpochMs } = made;
  const next = { ...body, tree: tree.sha256, gitTreeId: tree.gitTreeId };
  return {
    ...record,
    revision: record.revision + 1,
    contentSha256: projectContentSha256({ id: record.id, version: record.version, ...next }),
    body: next,
    updatedBy: apply.by,
    updatedAtEpochMs: nowEpochMs,
    changesetDigest: apply.digest,
    planId,
  };
}
