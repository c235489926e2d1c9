import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { ledgerHeadOf } from "../run/ledger-chain.ts";
import { endsRun, replayRecord } from "./changeset-replay.ts";
import type { LedgerFaultCode } from "./ledger-fault.ts";
import type { LedgerLineOf } from "./ledger-line.ts";
import {
  awaitedHead,
  awaitedRecord,
  type Checked,
  fault,
  type LedgerPoint,
  type LineAt,
  misplaced,
  sound,
} from "./ledger-point.ts";

type LedgerEvent = LedgerLineOf<"record">["event"];

/** A record: its number, its place in the chain, what its event covers, and what that means for the changeset. */
export function checkRecord(point: LedgerPoint, at: LineAt<LedgerLineOf<"record">>): Checked {
  const { event } = at.value;
  const next = point.lastSeq + 1;
  if (event.seq !== next && isChained(point, { ...event, seq: next })) {
    const message = `Record ${next} (line ${at.line}) says that it is number ${event.seq}.`;
    return fault({ line: at.line, seq: next }, "altered", message);
  }
  if (event.seq < next) {
    const message = `Line ${at.line} holds a record ${event.seq} again, behind record ${point.lastSeq}.`;
    return fault({ line: at.line, seq: event.seq }, "added", message);
  }
  if (point.awaits !== undefined) return misplaced(at, awaitedHead(point));
  if (event.seq > next) return misplaced(at, awaitedRecord(next));
  if (!isChained(point, event)) {
    return misplaced(at, {
      seq: next,
      awaited: `the record ${next} that the chain goes on with`,
      isAwaited: (later) =>
        later.kind === "record" && later.event.seq === next && isChained(point, later.event),
      otherwise: "altered",
    });
  }
  return checkCovered(point, at);
}

function isChained({ ledgerHead: previous }: LedgerPoint, { ledgerHead, ...event }: LedgerEvent): boolean {
  return ledgerHeadOf(previous, event) === ledgerHead;
}

function checkCovered(point: LedgerPoint, { line, value }: LineAt<LedgerLineOf<"record">>): Checked {
  const { event, record } = value;
  const { seq, recordSha256 } = event;
  const refused = (code: LedgerFaultCode, what: string): Checked =>
    fault({ line, seq }, code, `Record ${seq} (line ${line}): ${what}.`);
  if (recordSha256 === undefined && record !== undefined) {
    return refused("added", "its event covers nothing further, and something further stands there");
  }
  if (recordSha256 !== undefined && record === undefined) {
    return refused("dropped", "what its event covers was taken out");
  }
  if (recordSha256 !== undefined && canonicalSha256(record) !== recordSha256) {
    return refused(
      "altered",
      `what it carries does not have the hash that its event covers, ${recordSha256}`,
    );
  }
  const step = replayRecord(point.replay, value);
  if ("fault" in step) return refused(step.fault.code, step.fault.message);
  const awaits = endsRun(value) ? "seal" : event.run === point.sealedRun ? "head" : undefined;
  return sound({
    ...point,
    lastSeq: seq,
    ledgerHead: event.ledgerHead,
    replay: step.replay,
    ...(awaits === undefined ? {} : { awaits }),
  });
}
