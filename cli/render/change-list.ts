import type { EntryReply } from "#lib/api/plan-replies.ts";
import type { Paint } from "../paint.ts";
import { shownPath } from "../print-safely.ts";

const letters = { create: "A", modify: "M", delete: "D", mode: "P", type: "T" } as const;
const colours = { create: "green", modify: "cyan", delete: "red", mode: "yellow", type: "yellow" } as const;

/** Entries as `git status` would list them; the two ends of a move on one line. */
export function changeRows(entries: readonly EntryReply[], paint: Paint): readonly (readonly string[])[] {
  const movedAway = new Set(entries.flatMap(({ movedFrom }) => movedFrom ?? []));
  return entries.flatMap((entry) => {
    if (entry.kind === "delete" && movedAway.has(entry.path)) return [];
    if (entry.movedFrom !== undefined) {
      return [[paint("cyan", "R"), `${shownPath(entry.movedFrom)} → ${shownPath(entry.path)}`]];
    }
    return [[paint(colours[entry.kind], letters[entry.kind]), shownPath(entry.path) + modeNote(entry)]];
  });
}

function modeNote({ kind, before, after }: EntryReply): string {
  if (kind === "mode" || kind === "type") return `  (${before?.mode} → ${after?.mode})`;
  return kind === "create" && after?.mode !== "100644" ? `  (${after?.mode})` : "";
}
