import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import type { CallRecord, DecisionRecord } from "./decision-record.ts";
import { hashable } from "./hashable.ts";

/**
 * A decision's record as the ledger covers and exports it: plain data with a canonical form, kept output by its own hash
 * (`keptSha256`, since the output's `sha256` is that of the whole, uncut output).
 */
export function hashedDecisionRecord(record: DecisionRecord): unknown {
  return hashable({ ...record, calls: record.calls.map(hashedCall) });
}

/** What the ledger's event of a decision covers: SHA-256 of the canonical form of its whole record. */
export function decisionRecordSha256(record: DecisionRecord): string {
  return canonicalSha256(hashedDecisionRecord(record));
}

function hashedCall(call: CallRecord): unknown {
  const { bytes, ...output } = call.output;
  return { ...call, output: { ...output, keptSha256: sha256Hex(bytes) } };
}
