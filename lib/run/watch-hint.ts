import type { Frontier } from "./frontier.ts";
import type { Hint, HintQueue, RunKey } from "./run-store.ts";

/** A killed worker is missed after this time. */
const watchDelaySeconds = 5;

export const hintOf = ({ tenant, planId, run }: RunKey): Hint => ({ v: 1, tenant, planId, run });

/** Sends the delayed hint that finds out whether a worker is still alive: whether the frontier went beyond revision `seen`. */
export function sendWatch(key: RunKey, watch: NonNullable<Hint["watch"]>, hints: HintQueue): Promise<void> {
  return hints.send({ ...hintOf(key), watch }, { delaySeconds: watchDelaySeconds });
}

/** What a watch hint means when it comes: nothing, watch on, or take the run over, since nothing moved. */
export function judgeWatch(
  frontier: Frontier,
  watch: NonNullable<Hint["watch"]>,
): "superseded" | "alive" | "dead" {
  if (frontier.watch !== undefined && frontier.watch > watch.worker) {
    return "superseded";
  }
  return frontier.revision > watch.seen ? "alive" : "dead";
}
