import { nextDigest } from "../changeset/digest.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { decisionRecordSha256 } from "./decision-record-hash.ts";
import type { Frontier } from "./frontier.ts";
import type { KeptContent } from "./kept-content.ts";
import { chainEvent, type EventDraft, ledgerEndAfter } from "./ledger-chain.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunCounts, Step, StepRef } from "./step.ts";

/** Where a run stands, and where the step that goes on from there begins. */
export type StepStart = Pick<
  Frontier,
  | "run"
  | "epoch"
  | "position"
  | "decisionCount"
  | "counts"
  | "chainHead"
  | "ledgerHead"
  | "lastSeq"
  | "controlEvents"
>;

/** What a step keeps of a decision's content: what rides in it, and what older steps hold. */
export interface StepContents {
  readonly inStep: ReadonlyMap<string, KeptContent>;
  readonly at: ReadonlyMap<string, StepRef>;
}

/**
 * Collects decisions that will become final together: numbers and chains their events, keeps the totals and Hₙ. After
 * `add` nothing is final; that takes a step written and a frontier moved.
 */
export interface StepBuilder {
  readonly ref: StepRef;
  readonly decisionCount: number;
  /** Raw bytes of content and output, and a guess at the records. */
  readonly sizeBytes: number;
  has(sha256: string): boolean;
  add(record: DecisionRecord, contents: StepContents): void;
  step(writtenBy: string): Step;
  /** Where the next step begins, should this one become final. */
  end(): StepStart;
}

const recordSizeBytes = 400;

export function stepBuilder(start: StepStart): StepBuilder {
  const ref: StepRef = { run: start.run, from: start.position, epoch: start.epoch };
  const decisions: DecisionRecord[] = [];
  const events: RunEvent[] = [...start.controlEvents];
  const contents = new Map<string, KeptContent>();
  const contentAt = new Map<string, StepRef>();
  let counts = start.counts;
  let chainHead = start.chainHead;
  let end = { lastSeq: start.lastSeq, ledgerHead: start.ledgerHead };
  let sizeBytes = 0;

  function append(draft: EventDraft): void {
    const event = chainEvent(end, draft);
    events.push(event);
    end = ledgerEndAfter(event);
  }

  return {
    ref,
    get decisionCount() {
      return decisions.length;
    },
    get sizeBytes() {
      return sizeBytes;
    },
    has: (sha256) => contents.has(sha256),
    add(record, { inStep, at }) {
      decisions.push(record);
      for (const [sha256, kept] of inStep) {
        sizeBytes += contents.has(sha256) ? 0 : kept.bytes.length;
        contents.set(sha256, kept);
      }
      for (const [sha256, where] of at) {
        contentAt.set(sha256, where);
      }
      sizeBytes += recordSizeBytes * (1 + record.calls.length + record.entries.length + record.reads.length);
      sizeBytes += record.calls.reduce((sum, call) => sum + call.output.bytes.length, 0);
      counts = countsWith(counts, record);
      if (record.outcome.status === "landed") {
        chainHead = nextDigest(chainHead, record);
      }
      append(decisionEvent(record, start.run));
      if (start.position + decisions.length === start.decisionCount) {
        append(completeEvent(record, { run: start.run, digest: chainHead }));
      }
    },
    step: (writtenBy) => ({
      v: 1,
      ...ref,
      decisions: [...decisions],
      events: [...events],
      contents: new Map(contents),
      contentAt: new Map(contentAt),
      counts,
      chainHead,
      ledgerHead: end.ledgerHead,
      writtenBy,
    }),
    end: () => ({
      run: start.run,
      epoch: start.epoch,
      position: start.position + decisions.length,
      decisionCount: start.decisionCount,
      counts,
      chainHead,
      ...end,
      controlEvents: [],
    }),
  };
}

function countsWith(counts: RunCounts, record: DecisionRecord): RunCounts {
  const { status } = record.outcome;
  return {
    ...counts,
    [status]: counts[status] + 1,
    toolCalls: counts.toolCalls + record.calls.length,
    entries: counts.entries + record.entries.length,
  };
}

function decisionEvent(record: DecisionRecord, run: number): EventDraft {
  const draft = {
    run,
    atEpochMs: record.startedAtEpochMs + Math.round(record.durationMs),
    by: "service",
    decisionId: record.decisionId,
    ordinal: record.ordinal,
    recordSha256: decisionRecordSha256(record),
  };
  const { outcome } = record;
  switch (outcome.status) {
    case "landed":
      return { ...draft, type: "runtime_execute_step" };
    case "failed":
      return { ...draft, type: "runtime_execute_failed", reason: outcome.failure.message.toWellFormed() };
    case "skipped":
      return {
        ...draft,
        type: "runtime_execute_skipped",
        reason: `Dependencies did not land: ${outcome.because.join(", ")}.`,
      };
    default:
      return outcome satisfies never;
  }
}

function completeEvent(
  last: DecisionRecord,
  end: { readonly run: number; readonly digest: string },
): EventDraft {
  return {
    type: "runtime_execute_complete",
    run: end.run,
    atEpochMs: last.startedAtEpochMs + Math.round(last.durationMs),
    by: "service",
    digest: end.digest,
  };
}
