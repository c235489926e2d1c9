import { createHash } from "node:crypto";
import { canonicalJson, canonicalSha256 } from "../canonical/canonical-json.ts";
import type { FileState } from "../tree/file-state.ts";
import type { ChangeEntry } from "./change-entry.ts";

/**
 * The digest chain of a changeset (`wire.md`). H₀ = SHA-256 of the canonical form of
 * `["planledger-changeset/1", planId, base trees by resource]`; all hashes in lower-case hex.
 */
export function initialDigest(planId: string, baseTrees: Readonly<Record<string, string>>): string {
  return canonicalSha256(["planledger-changeset/1", planId, baseTrees]);
}

/**
 * Hₙ = SHA-256(Hₙ₋₁ ‖ canonical form of the record of a decision that landed), Hₙ₋₁ as its 32 bytes. The record is
 * `{ decisionId, entries }`, entries by call ordinal, then by the bytes of the path (then of the resource), each
 * `{ callOrdinal, resource, path, kind, before, after }`, a state `{ sha256, sizeBytes, mode }` or `"absent"`. Git ids and
 * whatever is made up at run time are left out. A decision that changed nothing has a record too.
 */
export function nextDigest(
  previous: string,
  decision: { readonly decisionId: string; readonly entries: readonly ChangeEntry[] },
): string {
  const record = {
    decisionId: decision.decisionId,
    entries: [...decision.entries].sort(digestOrder).map(hashedEntry),
  };
  return createHash("sha256")
    .update(Buffer.from(previous, "hex"))
    .update(canonicalJson(record))
    .digest("hex");
}

/** An entry as digests cover it, below the decision that it belongs to. */
export function hashedEntry(entry: ChangeEntry) {
  return {
    callOrdinal: entry.callOrdinal,
    resource: entry.resource,
    path: entry.path,
    kind: entry.kind,
    before: hashedState(entry.before),
    after: hashedState(entry.after),
  };
}

function hashedState(state: FileState | null): unknown {
  return state === null ? "absent" : { sha256: state.sha256, sizeBytes: state.sizeBytes, mode: state.mode };
}

function digestOrder(a: ChangeEntry, b: ChangeEntry): number {
  return (
    a.callOrdinal - b.callOrdinal ||
    Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) ||
    Buffer.compare(Buffer.from(a.resource), Buffer.from(b.resource))
  );
}
