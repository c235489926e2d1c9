import type { Frontier } from "./frontier.ts";
import { nextCheck } from "./next-check.ts";
import type { RunRecord } from "./run-record.ts";
import { noUnits } from "./run-units.ts";
import type { RunCounts } from "./step.ts";

export const noCounts: RunCounts = { landed: 0, failed: 0, skipped: 0, toolCalls: 0, entries: 0 };

/** The frontier with which a run begins: nothing is final, nobody works on it. A pure function of the record. */
export function openingFrontier(run: RunRecord): Frontier {
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
  };
}
