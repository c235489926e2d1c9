import type { Frontier } from "./frontier.ts";
import { nextCheck } from "./next-check.ts";
import { openingOutbox } from "./phase-change.ts";
import type { RunRecord } from "./run-record.ts";
import { noUnits } from "./run-units.ts";
import type { RunCounts } from "./step.ts";

export const noCounts: RunCounts = { landed: 0, failed: 0, skipped: 0, toolCalls: 0, entries: 0 };

/** How a run's first frontier is opened beside what its record says. */
export interface OpeningOptions {
  /** Somebody listens: the run's changes of phase are counted on behind this one. */
  readonly toldBefore?: number;
}

/** The frontier with which a run begins: nothing is final, nobody works on it. A pure function of the record and the options. */
export function openingFrontier(run: RunRecord, { toldBefore }: OpeningOptions = {}): Frontier {
  const { tenant, planId, changesetId, decisionCount, startsFrom, requestedAtEpochMs } = run;
  return {
    v: 1,
    tenant,
    planId,
    run: run.run,
    changesetId,
    revision: 0,
    epoch: 0,
    state: { phase: "submitted" },
    position: 0,
    decisionCount,
    counts: noCounts,
    chainHead: startsFrom.chainHead,
    lastSeq: startsFrom.lastSeq,
    ledgerHead: startsFrom.ledgerHead,
    controlEvents: [],
    ...(startsFrom.checkpoint === undefined ? {} : { checkpoint: startsFrom.checkpoint }),
    failureSteps: [],
    units: noUnits,
    movedAtEpochMs: requestedAtEpochMs,
    nextCheckEpochSeconds: nextCheck(undefined, requestedAtEpochMs),
    ...(run.autoApply === undefined ? {} : { autoApply: run.autoApply }),
    ...(toldBefore === undefined ? {} : { outbox: openingOutbox(toldBefore) }),
  };
}
