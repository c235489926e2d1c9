import * as z from "zod/mini";
import { nextDigest } from "../changeset/digest.ts";
import { entrySchema, outcomeSchema } from "../run/stored-step.ts";
import type { LedgerFaultCode } from "./ledger-fault.ts";
import type { LedgerLineOf } from "./ledger-line.ts";

const decisionSchema = z.object({
  ordinal: z.int(),
  decisionId: z.string(),
  outcome: outcomeSchema,
  entries: z.array(entrySchema),
});
const runSchema = z.object({ run: z.int(), startsFrom: z.object({ chainHead: z.string() }) });

export type ReplayPhase = "submitted" | "running" | "paused" | "completed" | "failed" | "cancelled";

/** Where the changeset stands after the records so far, recomputed from their entries. */
export interface Replay {
  readonly chainHead: string;
  readonly phase: ReplayPhase;
  readonly run: number;
  /** Of this run: whether a decision failed or was skipped, and the last one's place in plan order. */
  readonly anyFailed: boolean;
  readonly lastOrdinal: number;
}

export interface ReplayFault {
  readonly code: LedgerFaultCode;
  readonly message: string;
}

export type ReplayStep = { readonly replay: Replay } | { readonly fault: ReplayFault };

export const replayFrom = (chainHead: string): Replay => ({
  chainHead,
  phase: "submitted",
  run: 0,
  anyFailed: false,
  lastOrdinal: -1,
});

const statuses = {
  runtime_execute_step: "landed",
  runtime_execute_failed: "failed",
  runtime_execute_skipped: "skipped",
} as const;
type DecisionType = keyof typeof statuses;
const isDecisionType = (type: string): type is DecisionType => Object.hasOwn(statuses, type);

/** What a chained record means for the changeset and the phase. Types that this version does not know change neither. */
export function replayRecord(before: Replay, line: LedgerLineOf<"record">): ReplayStep {
  const { event, record } = line;
  const replay =
    event.run === before.run ? before : { ...before, run: event.run, anyFailed: false, lastOrdinal: -1 };
  const { type } = event;
  if (isDecisionType(type)) return replayDecision(replay, { type, event, record });
  switch (type) {
    case "runtime_execute_started":
      return replayStart(replay, record);
    case "runtime_execute_paused":
      return { replay: { ...replay, phase: "paused" } };
    case "runtime_execute_resumed":
      return { replay: { ...replay, phase: "running" } };
    case "runtime_execute_cancelled":
      return replayEnd(replay, "cancelled", event.digest);
    case "runtime_execute_complete":
      return replayEnd(replay, replay.anyFailed ? "failed" : "completed", event.digest);
    default:
      return { replay };
  }
}

export const endsRun = ({ event: { type } }: LedgerLineOf<"record">): boolean =>
  type === "runtime_execute_cancelled" || type === "runtime_execute_complete";

function replayDecision(
  replay: Replay,
  { type, event, record }: Pick<LedgerLineOf<"record">, "event" | "record"> & { readonly type: DecisionType },
): ReplayStep {
  const parsed = decisionSchema.safeParse(record);
  if (!parsed.success) {
    return altered(
      `carries no decision's record (${parsed.error.issues[0]?.path.join(".") || "it is missing"})`,
    );
  }
  const { decisionId, ordinal, outcome, entries } = parsed.data;
  if (decisionId !== event.decisionId || ordinal !== event.ordinal || outcome.status !== statuses[type]) {
    return altered(
      `tells of decision ${event.decisionId} as ${statuses[type]}, its record of ${decisionId} as ${outcome.status}`,
    );
  }
  if (ordinal <= replay.lastOrdinal) {
    return {
      fault: {
        code: "reordered",
        message: `decision ${decisionId} (${ordinal} in plan order) became final after ${replay.lastOrdinal}; decisions become final in plan order`,
      },
    };
  }
  const landed = outcome.status === "landed";
  return {
    replay: {
      ...replay,
      chainHead: landed ? nextDigest(replay.chainHead, { decisionId, entries }) : replay.chainHead,
      anyFailed: replay.anyFailed || !landed,
      lastOrdinal: ordinal,
    },
  };
}

function replayStart(replay: Replay, record: unknown): ReplayStep {
  const parsed = runSchema.safeParse(record);
  if (!parsed.success || parsed.data.run !== replay.run) {
    return altered("begins a run and does not carry that run's record");
  }
  const { chainHead } = parsed.data.startsFrom;
  return chainHead === replay.chainHead
    ? { replay: { ...replay, phase: "running" } }
    : mismatch(`run ${replay.run} goes on from the digest ${chainHead}`, replay);
}

function replayEnd(replay: Replay, phase: ReplayPhase, digest: string | undefined): ReplayStep {
  return digest === replay.chainHead
    ? { replay: { ...replay, phase } }
    : mismatch(`run ${replay.run} ended under the digest ${digest ?? "(none)"}`, replay);
}

const altered = (message: string): ReplayStep => ({ fault: { code: "altered", message } });
const mismatch = (message: string, { chainHead }: Replay): ReplayStep => ({
  fault: {
    code: "digest_mismatch",
    message: `${message}, the changes recorded up to there come to ${chainHead}`,
  },
});
