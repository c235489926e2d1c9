import { checkItem } from "./check-item.ts";
import { checkItemSize } from "./check-item-size.ts";
import { describeConflict, describeOlderVersion, describeSkip } from "./describe-decision.ts";
import type { LocalItems } from "./local-items.ts";
import type { SyncStep } from "./plan-sync.ts";
import type { SyncOutcome } from "./sync-outcome.ts";
import { about, failed, failedBy, resolvedBy, versionsOf } from "./sync-run.ts";

/** What carrying out a step would come to, the service's own checks of an item that it would get included. */
export async function rehearse(
  step: SyncStep,
  {
    local,
    ended,
  }: { readonly local: Pick<LocalItems, "load">; readonly ended: (outcome: SyncOutcome) => void },
): Promise<void> {
  const { decision } = step;
  if (decision.kind === "create" || decision.kind === "update") {
    try {
      await checkLocal(step, local);
    } catch (error) {
      failedBy({ ended }, step, error);
      return;
    }
  }
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
      failed({ ended }, step, { reason: describeOlderVersion(decision), field: "version" });
      return;
    default:
      decision satisfies never;
  }
}

async function checkLocal({ key }: SyncStep, local: Pick<LocalItems, "load">): Promise<void> {
  const found = await local.load(key);
  if (found === undefined) return;
  checkItemSize(found.item);
  await checkItem(key.kind, found.item);
}
