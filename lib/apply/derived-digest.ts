import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { hashedEntry } from "../changeset/digest.ts";
import type { DerivedChangeset } from "./derived-changeset.ts";

/**
 * SHA-256 of the canonical form of `["planledger-derived/1", kind, planId, of, baseTrees, entries]`, entries in the order in
 * which they are applied, each as in the record of its decision (`nextDigest`) with `decisionId` beside. It covers all that the
 * changeset does; which decisions were asked for, what was added and why, and what cannot be undone are told, not done.
 */
export function derivedDigest(
  changeset: Pick<DerivedChangeset, "kind" | "planId" | "of" | "baseTrees" | "entries">,
): string {
  const { kind, planId, of, baseTrees } = changeset;
  const entries = changeset.entries.map((entry) => ({ decisionId: entry.decisionId, ...hashedEntry(entry) }));
  return canonicalSha256(["planledger-derived/1", kind, planId, of, baseTrees, entries]);
}
