import { lstat, realpath } from "node:fs/promises";
import type { PlanStatusReply } from "#lib/api/plan-replies.ts";
import { isSameState } from "#lib/apply/found-on-disk.ts";
import type { ApplyConflict, NetChange } from "#lib/apply/net-change.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { ConflictError, NotFoundError } from "#lib/errors/planledger-error.ts";
import { requireProfile } from "#lib/service/apply-target.ts";
import type { CommandResult } from "../command-result.ts";
import { contentAhead } from "../files/content-ahead.ts";
import { withDirectoryLock } from "../files/directory-lock.ts";
import { openDirectoryTarget, sayRecovered } from "../files/recover-directory.ts";
import { shownPath } from "../print-safely.ts";
import { counted } from "../render/counted.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { requireApplicable } from "./directory-gate.ts";
import { readChangeset } from "./read-changeset.ts";

/**
 * Applies a digest to a directory: gate and phase as the status tells them, an interrupted apply finished first, then all of it
 * or, where something is in the way, nothing. The service learns nothing of it and the plan's phase stays as it is.
 */
export async function applyToDirectory(
  { client, session }: { readonly client: PlanledgerClient; readonly session: Session },
  order: {
    readonly planId: string;
    readonly digest: string;
    readonly directory: string;
    /** The directory as the caller named it. */
    readonly named: string;
    readonly allowFailed: boolean;
  },
): Promise<CommandResult> {
  const root = await realDirectory(order.directory);
  const { signal } = session;
  const status = await client.planStatus({ planId: order.planId, signal });
  const changeset = await readChangeset({ client, signal }, status, order.digest);
  requireApplicable(status, changeset, order);
  await requireProjectsProfile({ client, session }, status);
  const { digest, kind, changes, content } = changeset;
  return withDirectoryLock(root, async () => {
    const target = openDirectoryTarget(root);
    const recovered = await target.recover();
    sayRecovered(session, recovered);
    const resumed = recovered.finished === digest;
    if (!resumed) {
      const applied = await target.apply({ digest, changes, content: contentAhead(changes, content) });
      if (applied.status === "conflicts") {
        throw inTheWay({ root, planId: status.planId }, changeset, applied.conflicts);
      }
    }
    const changed = changes.map(({ path }) => path);
    return {
      json: () => ({ planId: status.planId, status: "applied", digest, kind, to: root, changed, resumed }),
      text: (paint) =>
        `${changes.map((change) => `${changeLetter(change)} ${shownPath(change.path)}\n`).join("")}${paint("green", "✓")} ${counted(changed.length, "path")} changed in ${order.named}${paint("dim", `  ${digest}`)}\n`,
    };
  });
}

/** What the plan's project demands of it now, where it writes one: a directory is no way around that. */
async function requireProjectsProfile(
  { client, session }: { readonly client: PlanledgerClient; readonly session: Session },
  { project, automationProfile }: PlanStatusReply,
): Promise<void> {
  if (project === undefined) return;
  const standing = await client.projects.get(project, session.signal).catch((fault: unknown) => {
    if (fault instanceof NotFoundError) return undefined;
    throw fault;
  });
  if (standing === undefined) return;
  requireProfile({ profile: automationProfile, project, settings: standing.settings });
}

async function realDirectory(directory: string): Promise<string> {
  const root = await realpath(directory).catch(() => undefined);
  if (root === undefined || !(await lstat(root)).isDirectory()) {
    throw new UsageError(`${directory} is not a directory`);
  }
  return root;
}

const changeLetter = ({ before, after }: NetChange): string =>
  before === null ? "A" : after === null ? "D" : "M";

function inTheWay(
  { root, planId }: { readonly root: string; readonly planId: string },
  { digest, changes }: { readonly digest: string; readonly changes: readonly NetChange[] },
  conflicts: readonly ApplyConflict[],
): ConflictError {
  const made = new Map(changes.map(({ path, after }) => [path, after]));
  const stands = conflicts.every(({ path, found }) => isState(made.get(path), found));
  if (conflicts.length === changes.length && stands) {
    return new ConflictError({
      code: "already_applied",
      message: `${root} holds what the changeset ${digest} makes already; nothing was changed`,
      details: { digest, directory: root },
    });
  }
  const paths = conflicts.length === 1 ? "one path is" : `${conflicts.length} paths are`;
  return new ConflictError({
    code: "target_moved",
    message: `${root} is not what the changeset was made on: ${paths} in the way. Nothing was changed. Commit or put back what was edited; where the files went another way, \`planledger plan diff ${planId} --digest ${digest} | git apply --3way\` merges it for you to look at.`,
    details: { digest, directory: root, conflicts, conflictCount: conflicts.length },
  });
}

/** Where a path was to go, a directory in its place or a file above it is as good as nothing. */
function isState(made: NetChange["after"] | undefined, found: ApplyConflict["found"]): boolean {
  if (made === undefined) return false;
  if (made === null) return found === null || ("kind" in found && found.kind !== "other");
  return isSameState(found, made);
}
