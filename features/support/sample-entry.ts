import type { ChangeEntry } from "#lib/changeset/change-entry.ts";
import { contentState } from "#lib/content/content-state.ts";

/** A well-formed entry: a file that a decision created. */
export function sampleEntry(path: string, decisionId = "d1"): ChangeEntry {
  const bytes = new TextEncoder().encode(`content of ${path}\n`);
  return {
    decisionId,
    callOrdinal: 0,
    resource: "app",
    path,
    kind: "create",
    before: null,
    after: contentState(bytes, "100644"),
  };
}
