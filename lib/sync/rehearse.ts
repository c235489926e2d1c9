import { describeConflict, describeOlderVersion, describeSkip } from "./describe-decision.ts";
import type { SyncStep } from "./plan-sync.ts";
import type { SyncOutcome } from "./sync-outcome.ts";
import { about, resolvedBy, versionsOf } from "./sync-run.ts";

/** What carrying out a step would come to. */
export function rehearse(step: SyncStep, ended: (outcome: SyncOutcome) => void): void {
  const { decision } = step;
  switch (decision.kind) {
    case "none":
      return;
    case "skip":
      ended({
        ...about(step),
        did: "skipped",
        because: decision.reason,
        reason: describeSkip(decision.reason),
      });
      return;
    case "create":
      ended({ ...about(step), did: "created", ...resolvedBy(step) });
      return;
    case "update":
      ended({ ...about(step), did: "updated", ...resolvedBy(step) });
      return;
    case "pull":
      ended({ ...about(step), did: "pulled", ...resolvedBy(step) });
      return;
    case "delete_remote":
      ended({ ...about(step), did: "deleted_on_server", ...resolvedBy(step) });
      return;
    case "delete_local":
      ended({ ...about(step), did: "deleted_here", ...resolvedBy(step) });
      return;
    case "conflict":
      ended({
        ...about(step),
        did: "conflict",
        reason: describeConflict(decision.reason, versionsOf(step)),
      });
      return;
    case "error":
      ended({ ...about(step), did: "error", reason: describeOlderVersion(decision), field: "version" });
      return;
    default:
      decision satisfies never;
  }
}
