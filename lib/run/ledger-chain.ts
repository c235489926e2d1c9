import { createHash } from "node:crypto";
import { canonicalJson, canonicalSha256 } from "../canonical/canonical-json.ts";
import type { RunEvent } from "./run-event.ts";

/** Where a ledger stands: the number of its last record, and the head that chains all of them. */
export interface LedgerEnd {
  readonly lastSeq: number;
  readonly ledgerHead: string;
}

/** An event before it has its number and its place in the chain. */
export type EventDraft = Omit<RunEvent, "seq" | "ledgerHead">;

/** The head before the first record: it binds the plan's id and document. */
export function ledgerGenesis(planId: string, documentSha256: string): string {
  return canonicalSha256(["planledger-ledger/1", planId, documentSha256]);
}

/**
 * SHA-256(previous head ‖ canonical form of the event without `ledgerHead`), the head as its 32 bytes. An event that was read
 * from a file may hold more than this version knows of events; all of it counts.
 */
export function ledgerHeadOf(previous: string, event: object): string {
  return createHash("sha256").update(Buffer.from(previous, "hex")).update(canonicalJson(event)).digest("hex");
}

/** Numbers and chains an event; the end moves on to it. */
export function chainEvent(end: LedgerEnd, draft: EventDraft): RunEvent {
  const numbered = { ...draft, seq: end.lastSeq + 1 };
  return { ...numbered, ledgerHead: ledgerHeadOf(end.ledgerHead, numbered) };
}

export function ledgerEndAfter(event: Pick<RunEvent, "seq" | "ledgerHead">): LedgerEnd {
  return { lastSeq: event.seq, ledgerHead: event.ledgerHead };
}
