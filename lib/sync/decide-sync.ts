import { compareVersions } from "./compare-versions.ts";
import type { ConflictPolicy } from "./conflict-policy.ts";
import type { ConflictReason, SkipReason, SyncDecision } from "./sync-decision.ts";
import type { SyncDirection } from "./sync-direction.ts";
import type { BaseState, LocalState, RemoteState, VersionedContent } from "./sync-state.ts";

export interface SyncRules {
  readonly policy: ConflictPolicy;
  readonly direction: SyncDirection;
  /** Deletions are carried out; without it nothing is deleted anywhere. */
  readonly prune: boolean;
  /** Content may change under an older version. */
  readonly force: boolean;
}

export interface SyncQuestion extends SyncRules {
  readonly base: BaseState;
  readonly local: LocalState;
  readonly remote: RemoteState;
}

/**
 * The three-way decision about one item: the base tells who changed. One side changed: its content wins, whatever the
 * policy says. Both to different content, or differing without a base: a conflict, and only then the policy decides. Time
 * plays no part, and versions none but that a change under an older one is an error. Where the server lost all trace of an
 * item, which is no deletion, it is created anew.
 */
export function decideSync(question: SyncQuestion): SyncDecision {
  const { local, remote } = question;
  switch (remote.kind) {
    case "never":
      return local.kind === "absent" ? { kind: "none", agreed: true } : create(question, 0);
    case "tombstone":
      return local.kind === "absent"
        ? { kind: "none", agreed: true }
        : besideTombstone(question, { local, remote });
    case "live":
      return local.kind === "absent"
        ? remoteOnly(question, remote)
        : onBothSides(question, { local, remote });
    default:
      return remote satisfies never;
  }
}

type Present = Extract<LocalState, { readonly kind: "content" }>;
type Known = Extract<RemoteState, { readonly kind: "live" | "tombstone" }>;
interface Sides {
  readonly local: Present;
  readonly remote: Known;
}

const skip = (reason: SkipReason): SyncDecision => ({ kind: "skip", reason });
const pushes = ({ direction }: SyncQuestion): boolean => direction !== "pull";
const pulls = ({ direction }: SyncQuestion): boolean => direction !== "push";

const create = (question: SyncQuestion, expectedRevision: number): SyncDecision =>
  pushes(question) ? { kind: "create", expectedRevision } : skip("new_here");

function besideTombstone(question: SyncQuestion, { local, remote }: Sides): SyncDecision {
  const { base } = question;
  if (base.kind === "absent") return create(question, remote.revision);
  // Without a base, what is here is what was deleted there, or it is something else and a conflict.
  const agreed = base.kind === "content" ? base : remote;
  if (local.contentSha256 === agreed.contentSha256) {
    const carriedOut = pulls(question) && question.prune;
    return carriedOut ? { kind: "delete_local", keepCopy: false } : skip("deleted_on_server");
  }
  return conflict(question, "edited_here_deleted_there", {
    local: () =>
      older({ question, side: "local", changed: local, other: undefined }) ?? {
        kind: "create",
        expectedRevision: remote.revision,
        resolved: "local_wins",
      },
    server: () =>
      question.prune
        ? { kind: "delete_local", keepCopy: true, resolved: "server_wins" }
        : skip("deleted_on_server"),
  });
}

function remoteOnly(question: SyncQuestion, remote: Known): SyncDecision {
  const { base } = question;
  if (base.kind !== "content") {
    return pulls(question) ? { kind: "pull", keepCopy: false } : { kind: "none", agreed: false };
  }
  const expectedRevision = remote.revision;
  if (remote.contentSha256 === base.contentSha256) {
    const carriedOut = pushes(question) && question.prune;
    return carriedOut ? { kind: "delete_remote", expectedRevision } : skip("deleted_here");
  }
  return conflict(question, "deleted_here_edited_there", {
    local: () =>
      question.prune
        ? { kind: "delete_remote", expectedRevision, resolved: "local_wins" }
        : skip("deleted_here"),
    server: () =>
      older({ question, side: "server", changed: remote, other: undefined }) ?? {
        kind: "pull",
        keepCopy: false,
        resolved: "server_wins",
      },
  });
}

function onBothSides(question: SyncQuestion, { local, remote }: Sides): SyncDecision {
  const { base } = question;
  const changedHere = base.kind !== "content" || local.contentSha256 !== base.contentSha256;
  const changedThere = base.kind !== "content" || remote.contentSha256 !== base.contentSha256;
  if (local.contentSha256 === remote.contentSha256) {
    return skip(changedHere ? "same_on_both_sides" : "unchanged");
  }
  const update: SyncDecision = { kind: "update", expectedRevision: remote.revision };
  if (!changedThere) {
    if (!pushes(question)) return skip("changed_here");
    return older({ question, side: "local", changed: local, other: remote }) ?? update;
  }
  if (!changedHere) {
    if (!pulls(question)) return skip("changed_on_server");
    return (
      older({ question, side: "server", changed: remote, other: local }) ?? { kind: "pull", keepCopy: false }
    );
  }
  return conflict(question, base.kind === "content" ? "both_changed" : "no_base", {
    local: () =>
      older({ question, side: "local", changed: local, other: remote }) ?? {
        ...update,
        resolved: "local_wins",
      },
    server: () =>
      older({ question, side: "server", changed: remote, other: local }) ?? {
        kind: "pull",
        keepCopy: true,
        resolved: "server_wins",
      },
  });
}

/** The one place where the policy counts. A side that wins against the direction leaves everything as it is. */
function conflict(
  question: SyncQuestion,
  reason: ConflictReason,
  resolutions: { readonly local: () => SyncDecision; readonly server: () => SyncDecision },
): SyncDecision {
  switch (question.policy) {
    case "manual":
      return { kind: "conflict", reason };
    case "local_wins":
      return pushes(question) ? resolutions.local() : skip("local_wins");
    case "server_wins":
      return pulls(question) ? resolutions.server() : skip("server_wins");
    default:
      return question.policy satisfies never;
  }
}

/** An error where content changed under a version older than the base's, or than the other side's where there is no base. */
function older(change: {
  readonly question: SyncQuestion;
  readonly side: "local" | "server";
  readonly changed: VersionedContent;
  readonly other: VersionedContent | undefined;
}): SyncDecision | undefined {
  const { question, side, changed, other } = change;
  const against = question.base.kind === "content" ? question.base : other;
  if (question.force || against === undefined) return undefined;
  if (compareVersions(changed.version, against.version) >= 0) return undefined;
  return { kind: "error", reason: "older_version", side, version: changed.version, against: against.version };
}
