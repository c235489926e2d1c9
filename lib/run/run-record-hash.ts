import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { hashable } from "./hashable.ts";
import type { RunRecord } from "./run-record.ts";

/** What a run's `started` event covers: who asked for it, which decisions it takes, which corrections were given. */
export function runRecordSha256({ tenant: _, ...record }: RunRecord): string {
  return canonicalSha256(hashable(record));
}
