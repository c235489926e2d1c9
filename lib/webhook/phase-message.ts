import type { Frontier } from "../run/frontier.ts";
import type { PhaseChange } from "../run/phase-change.ts";

/** What every message says that it is. */
export const phaseMessageType = "plan.phase_changed";

/** Ids, numbers and digests: nothing of what went into a plan, or came out. */
export interface PhaseMessage {
  readonly tenant: string;
  readonly planId: string;
  readonly run: number;
  readonly phase: string;
  readonly sequence: number;
  readonly at: string;
  /** Of the sealed changeset, once the run has ended. */
  readonly digest?: string;
  readonly counts: {
    readonly decisions: number;
    readonly final: number;
    readonly landed: number;
    readonly failed: number;
    readonly skipped: number;
  };
}

/** What listeners are told of a change of a run's phase. */
export const phaseMessage = (frontier: Frontier, change: PhaseChange): PhaseMessage => {
  const { tenant, planId, run, state, decisionCount: decisions } = frontier;
  const { sequence, phase, atEpochMs, position: final, landed, failed, skipped } = change;
  const isSealed = phase !== "submitted" && phase !== "running" && phase !== "paused";
  return {
    tenant,
    planId,
    run,
    phase,
    sequence,
    at: new Date(atEpochMs).toISOString(),
    ...(isSealed && "digest" in state ? { digest: state.digest } : {}),
    counts: { decisions, final, landed, failed, skipped },
  };
};

/** The body of a delivery to a webhook. */
export const phaseBody = (message: PhaseMessage): string =>
  JSON.stringify({ type: phaseMessageType, timestamp: message.at, data: message });
