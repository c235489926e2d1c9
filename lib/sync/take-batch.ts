import { syncLimits } from "../api/sync-requests.ts";
import type { SyncWork } from "./sync-run.ts";

/** Takes the next works of one kind out of a queue, as many as one request may hold. */
export function takeBatch(queue: SyncWork[]): SyncWork[] {
  const kind = queue[0]?.key.kind;
  const other = queue.findIndex((work) => work.key.kind !== kind);
  const ofKind = other < 0 ? queue.length : other;
  return queue.splice(0, Math.min(ofKind, syncLimits.operations));
}
