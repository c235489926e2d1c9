import type { EntryReply } from "../api/plan-replies.ts";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import { pairMoves } from "../changeset/pair-moves.ts";

/** Entries as the API tells them, moves within one call derived. */
export const entryReplies = (entries: readonly ChangeEntry[]): EntryReply[] => {
  const calls = new Map<string, ChangeEntry[]>();
  for (const entry of entries) {
    const call = JSON.stringify([entry.decisionId, entry.callOrdinal, entry.resource]);
    const known = calls.get(call);
    if (known === undefined) calls.set(call, [entry]);
    else known.push(entry);
  }
  const movedFrom = new Map<ChangeEntry, string>();
  for (const call of calls.values()) {
    const moves = pairMoves(call);
    for (const entry of call) {
      const from = moves.get(entry.path);
      if (from !== undefined) movedFrom.set(entry, from);
    }
  }
  return entries.map((entry) => {
    const from = movedFrom.get(entry);
    return { ...entry, ...(from === undefined ? {} : { movedFrom: from }) };
  });
};
