import type { Log } from "../log/log.ts";
import type { Frontier } from "./frontier.ts";
import type { FrontierStore } from "./run-store.ts";

/**
 * A store that logs and counts every run that ends, whoever ends it: a worker, a cancel, a dead letter. Not for the
 * reconciler, which puts off checks and ends nothing.
 */
export const loggedEnds = <Store extends FrontierStore>(frontiers: Store, log: Log): Store => ({
  ...frontiers,
  async move(next) {
    const hasMoved = await frontiers.move(next);
    if (hasMoved && endsNow(next)) logEnd(next, log);
    return hasMoved;
  },
});

/** Whatever moves an ended run afterwards adds an event behind the seal. */
const endsNow = ({ state, lastSeq }: Frontier): boolean =>
  "sealedSeq" in state && state.sealedSeq === lastSeq;

const logEnd = (frontier: Frontier, log: Log): void => {
  const { tenant, planId, run, state, counts, startedAtEpochMs } = frontier;
  const durationMs =
    startedAtEpochMs === undefined || !("endedAtEpochMs" in state)
      ? undefined
      : state.endedAtEpochMs - startedAtEpochMs;
  log.write({
    level: "info",
    event: "run_ended",
    tenant,
    planId,
    run,
    outcome: state.phase,
    durationMs,
    metrics: {
      runsCompleted: state.phase === "completed" ? 1 : 0,
      runsFailed: state.phase === "failed" ? 1 : 0,
      runsCancelled: state.phase === "cancelled" ? 1 : 0,
      ...(durationMs === undefined ? {} : { runSeconds: durationMs / 1000 }),
      decisionsLanded: counts.landed,
      decisionsFailed: counts.failed,
      decisionsSkipped: counts.skipped,
    },
  });
};
