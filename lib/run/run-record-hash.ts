import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { hashable } from "./hashable.ts";
import type { RunRecord } from "./run-record.ts";

/** A run's record as the ledger covers and exports it: all but the tenant, whose name is nobody else's business. */
export function hashedRunRecord({ tenant: _, ...record }: RunRecord): unknown {
  return hashable(record);
}

/** What a run's `started` event covers: who asked for it, which decisions it takes, which corrections were given. */
export function runRecordSha256(record: RunRecord): string {
  return canonicalSha256(hashedRunRecord(record));
}
