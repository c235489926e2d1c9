import { type Replay, type ReplayPhase, replayFrom } from "./changeset-replay.ts";
import type { LedgerFault, LedgerFaultCode, LedgerPosition, Misplaced } from "./ledger-fault.ts";
import type { LedgerLine, LedgerLineOf } from "./ledger-line.ts";

/** A head under a valid signature, and what the ledger comes to there. */
export interface SignedHead {
  readonly seq: number;
  readonly ledgerHead: string;
  readonly phase: ReplayPhase;
  readonly run: number;
  /** Of the changeset, once a run was sealed. */
  readonly digest?: string;
}

/** How far a ledger was read, all of it sound. */
export interface LedgerPoint {
  readonly planId: string;
  readonly lastSeq: number;
  readonly ledgerHead: string;
  readonly replay: Replay;
  /** The last run that was sealed; what its ledger takes in from then on is signed record by record. */
  readonly sealedRun?: number;
  /** The signed head that must come next: of a run that ended with the last record, or of a record behind a seal. */
  readonly awaits?: "seal" | "head";
  readonly signed?: SignedHead;
  /** The file's last line was read. */
  readonly ended: boolean;
}

/** A line of the file as it is checked. */
export interface LineAt<Line extends LedgerLine = LedgerLine> {
  readonly line: number;
  readonly text: string;
  readonly value: Line;
}

/** The point behind a line, or what is wrong with the line. */
export type Checked =
  | { readonly kind: "sound"; readonly point: LedgerPoint }
  | { readonly kind: "fault"; readonly fault: LedgerFault }
  | { readonly kind: "misplaced"; readonly misplaced: Misplaced };

export const pointAtHeader = (header: LedgerLineOf<"header">): LedgerPoint => ({
  planId: header.planId,
  lastSeq: 0,
  ledgerHead: header.ledgerHead,
  replay: replayFrom(header.chainHead),
  ended: false,
});

export const sound = (point: LedgerPoint): Checked => ({ kind: "sound", point });

export const fault = (position: LedgerPosition, code: LedgerFaultCode, message: string): Checked => ({
  kind: "fault",
  fault: { position, code, message },
});

type Awaited = Pick<Misplaced, "awaited" | "isAwaited"> & {
  readonly seq?: number;
  readonly otherwise?: Misplaced["otherwise"];
};

export const misplaced = (at: LineAt, { seq, ...awaited }: Awaited): Checked => ({
  kind: "misplaced",
  misplaced: {
    otherwise: "dropped",
    ...awaited,
    position: seq === undefined ? { line: at.line } : { line: at.line, seq },
    text: at.text,
    found: described(at.value),
  },
});

export const awaitedHeader: Awaited = {
  awaited: "the header",
  isAwaited: (later) => later.kind === "header",
};

export const awaitedRecord = (seq: number): Awaited => ({
  seq,
  awaited: `record ${seq}`,
  isAwaited: (later) => later.kind === "record" && later.event.seq === seq,
});

export const awaitedHead = (point: LedgerPoint): Awaited => ({
  seq: point.lastSeq,
  awaited: `the signed head of record ${point.lastSeq}`,
  isAwaited: (later) => later.kind === point.awaits && later.seq === point.lastSeq,
});

function described(line: LedgerLine): string {
  switch (line.kind) {
    case "header":
      return "the header";
    case "record":
      return `record ${line.event.seq}`;
    case "seal":
    case "head":
      return `the signed head of record ${line.seq}`;
    case "end":
      return "the end of the ledger";
    default:
      return line satisfies never;
  }
}
