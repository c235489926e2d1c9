import { initialDigest } from "../changeset/digest.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import { hashedDecisionRecord } from "../run/decision-record-hash.ts";
import type { Signature } from "../run/frontier.ts";
import type { HeadStatement } from "../run/head-statement.ts";
import { ledgerGenesis } from "../run/ledger-chain.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { RunRecord } from "../run/run-record.ts";
import { hashedRunRecord } from "../run/run-record-hash.ts";
import type { SealStatement } from "../run/seal-statement.ts";
import type { LedgerLineOf } from "./ledger-line.ts";

/** The header of a plan's ledger. `baseTrees` holds the pinned tree of every resource of the plan, by its name. */
export function headerLine(plan: {
  readonly planId: string;
  readonly documentSha256: string;
  readonly baseTrees: Readonly<Record<string, string>>;
}): LedgerLineOf<"header"> {
  const { planId, documentSha256, baseTrees } = plan;
  return {
    kind: "header",
    v: 1,
    planId,
    documentSha256,
    baseTrees,
    ledgerHead: ledgerGenesis(planId, documentSha256),
    chainHead: initialDigest(planId, baseTrees),
  };
}

/** An event that covers no record: pause, resume, cancel, the end of a run. */
export const eventLine = (event: RunEvent): LedgerLineOf<"record"> => ({
  kind: "record",
  event: { ...event },
});

/** The event of a decision's end, with the decision's record. */
export const decisionLine = (event: RunEvent, record: DecisionRecord): LedgerLineOf<"record"> => ({
  kind: "record",
  event: { ...event },
  record: hashedDecisionRecord(record),
});

/** A run's `started` event, with the run's record. */
export const runLine = (event: RunEvent, record: RunRecord): LedgerLineOf<"record"> => ({
  kind: "record",
  event: { ...event },
  record: hashedRunRecord(record),
});

/** The signed head of an ended run; it stands right behind the run's last event. */
export const sealLine = (
  { run, digest, seq, ledgerHead }: SealStatement,
  signature: Signature,
): LedgerLineOf<"seal"> => ({ kind: "seal", run, digest, seq, ledgerHead, signature });

/** The signed head of something that came after a seal; it stands right behind that event. */
export const headLine = ({ seq, ledgerHead }: HeadStatement, signature: Signature): LedgerLineOf<"head"> => ({
  kind: "head",
  seq,
  ledgerHead,
  signature,
});
