import type { RunEventType } from "../run/run-event.ts";

/**
 * What a callback in process hears of a run, in the order in which decisions become final; `seq` counts from 1 within the
 * run. `reason` says why a decision failed or was skipped, `digest` (on the last one) what the changeset is sealed under.
 */
export interface RuntimeEvent {
  readonly seq: number;
  readonly type: RunEventType;
  readonly planId: string;
  readonly changesetId: string;
  readonly atEpochMs: number;
  readonly decisionId?: string;
  readonly ordinal?: number;
  readonly reason?: string;
  readonly digest?: string;
}

/** May be asynchronous; the run does not wait for it, and its faults are logged. */
export type RuntimeEventCallback = (event: RuntimeEvent) => unknown;
