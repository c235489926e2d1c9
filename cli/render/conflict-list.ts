import * as z from "zod/mini";
import { type ConflictReply, conflictReply } from "#lib/api/plan-replies.ts";
import type { ErrorDetails } from "#lib/errors/planledger-error.ts";
import type { Paint } from "../paint.ts";
import { shownPath } from "../print-safely.ts";
import { table } from "./table.ts";

const listed = z.array(conflictReply);

/** The conflicts that a refusal names, with how many there are in all; `undefined` where it names none. */
export function conflictsOf(
  details: ErrorDetails,
): { readonly conflicts: readonly ConflictReply[]; readonly count: number } | undefined {
  const parsed = listed.safeParse(details.conflicts);
  if (!parsed.success || parsed.data.length === 0) return undefined;
  const { conflictCount } = details;
  return {
    conflicts: parsed.data,
    count: typeof conflictCount === "number" ? conflictCount : parsed.data.length,
  };
}

/** What is in the way: path, what the changeset expects there, what was found, and why that does not go together. */
export function conflictText(
  { conflicts, count }: { readonly conflicts: readonly ConflictReply[]; readonly count: number },
  paint: Paint,
): string {
  const rows = conflicts.map(({ path, expected, found, reason }) => [
    `  ${paint("red", "✗")} ${shownPath(path)}`,
    `expected ${stateWords(expected)}`,
    `found ${stateWords(found)}`,
    paint("dim", reasonWords[reason] ?? reason),
  ]);
  const left = count - conflicts.length;
  return `${table(rows)}${left > 0 ? `  … and ${left} more\n` : ""}`;
}

function stateWords(state: ConflictReply["found"]): string {
  if (state === null) return "nothing";
  if ("kind" in state) {
    if (state.kind === "below_symlink") return "a symbolic link above it";
    if (state.kind === "below_file") return "a file above it";
    return state.kind === "directory" ? "a directory" : "neither file nor link";
  }
  const { mode, sha256, sizeBytes } = state;
  const what = mode === "120000" ? "link " : mode === "100755" ? "executable " : "";
  return `${what}${sha256.slice(0, 12)} (${sizeBytes} bytes)`;
}

const reasonWords: Readonly<Record<string, string>> = {
  moved: "changed since",
  uncommitted: "not committed: git could not bring it back",
  blocked: "in the way",
  overlap: "both changed the same lines",
  too_different: "too different to merge for sure",
  binary: "both changed a binary file",
  symlink: "both changed a link",
  too_large: "too large together",
  mode: "made with different modes",
  type: "a file here, a link there",
  delete_modify: "removed by one, changed by the other",
  create_create: "made by both, differently",
};
