import { initialDigest } from "../changeset/digest.ts";
import { ledgerGenesis } from "../run/ledger-chain.ts";
import type { SignatureVerifier } from "../run/signature-verifier.ts";
import { checkRecord } from "./check-record.ts";
import { checkSignedHead } from "./check-signed-head.ts";
import type { LedgerLineOf } from "./ledger-line.ts";
import {
  awaitedHead,
  awaitedHeader,
  awaitedRecord,
  type Checked,
  fault,
  type LedgerPoint,
  type LineAt,
  misplaced,
  pointAtHeader,
  sound,
} from "./ledger-point.ts";

/** The next line of a ledger, read up to `point` (`undefined` before the first line). */
export function checkLine(point: LedgerPoint | undefined, at: LineAt, verifier: SignatureVerifier): Checked {
  const { line, text, value } = at;
  if (point === undefined) {
    return value.kind === "header" ? checkHeader({ line, text, value }) : misplaced(at, awaitedHeader);
  }
  if (point.ended) return fault({ line }, "added", `Line ${line} stands behind the end of the ledger.`);
  switch (value.kind) {
    case "header":
      return fault({ line }, "added", `Line ${line} is a second header.`);
    case "record":
      return checkRecord(point, { line, text, value });
    case "seal":
    case "head":
      return checkSignedHead(point, { line, text, value }, verifier);
    case "end":
      return checkEnd(point, { line, text, value });
    default:
      return value satisfies never;
  }
}

function checkHeader({ line, value }: LineAt<LedgerLineOf<"header">>): Checked {
  const { planId, documentSha256, baseTrees } = value;
  if (
    value.ledgerHead !== ledgerGenesis(planId, documentSha256) ||
    value.chainHead !== initialDigest(planId, baseTrees)
  ) {
    return fault(
      { line },
      "altered",
      "The header's heads do not follow from its plan, document and base trees.",
    );
  }
  return sound(pointAtHeader(value));
}

function checkEnd(point: LedgerPoint, at: LineAt<LedgerLineOf<"end">>): Checked {
  const { line, value } = at;
  if (point.awaits !== undefined) return misplaced(at, awaitedHead(point));
  const sameSeq = value.seq === point.lastSeq;
  const sameHead = value.ledgerHead === point.ledgerHead;
  if (sameSeq !== sameHead) {
    const message = `The last line (${line}) does not name the head of record ${point.lastSeq}.`;
    return fault({ line, seq: point.lastSeq }, "altered", message);
  }
  if (!sameSeq) return misplaced(at, awaitedRecord(point.lastSeq + 1));
  return sound({ ...point, ended: true });
}
