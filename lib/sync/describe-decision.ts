import type { ConflictReason, SkipReason, SyncDecision } from "./sync-decision.ts";

const skips: Readonly<Record<SkipReason, string>> = {
  unchanged: "unchanged",
  same_on_both_sides: "the same on both sides",
  changed_on_server: "changed on the server only; a pull brings it here",
  deleted_on_server: "deleted on the server; a pull with --prune deletes it here too",
  changed_here: "changed here only; a push sends it",
  new_here: "here only; a push sends it",
  deleted_here: "deleted here; a push with --prune deletes it on the server too",
  server_wins: "both sides changed, and the server wins; a pull brings its content here",
  local_wins: "both sides changed, and the local side wins; a push sends its content",
  local_unreadable: "there are local items that cannot be read, and this may be one of them",
  changed_while_syncing: "it was changed while the sync ran; the next sync decides about it",
};

const conflicts: Readonly<Record<ConflictReason, string>> = {
  both_changed: "both sides changed it since they last agreed",
  no_base: "both sides have it with different content, and nothing tells which they last agreed on",
  edited_here_deleted_there: "it was changed here and deleted on the server",
  deleted_here_edited_there: "it was deleted here and changed on the server",
};

const advice = "choose a side with --policy local_wins or server_wins, or make them the same";

export const describeSkip = (reason: SkipReason): string => skips[reason];

export function describeConflict(
  reason: ConflictReason,
  versions: { readonly local?: string | undefined; readonly server?: string | undefined },
): string {
  const shown = [
    ...(versions.local === undefined ? [] : [`version ${versions.local} here`]),
    ...(versions.server === undefined ? [] : [`version ${versions.server} on the server`]),
  ];
  return `${conflicts[reason]} (${shown.join(", ")}); ${advice}`;
}

export function describeOlderVersion({
  side,
  version,
  against,
}: Extract<SyncDecision, { readonly kind: "error" }>): string {
  const where = side === "local" ? "here" : "on the server";
  return `the content changed ${where} under version ${version}, which is older than ${against}; give it a newer version, or force it`;
}
