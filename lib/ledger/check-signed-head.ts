import { headStatementBytes } from "../run/head-statement.ts";
import { sealStatementBytes } from "../run/seal-statement.ts";
import type { SignatureVerifier } from "../run/signature-verifier.ts";
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

type HeadAt = LineAt<LedgerLineOf<"seal" | "head">>;

/** A signed head: that it stands behind the record it covers, names its head, and is signed by the key. */
export function checkSignedHead(point: LedgerPoint, at: HeadAt, verifier: SignatureVerifier): Checked {
  const { line, value } = at;
  const { seq } = value;
  const refused = (code: LedgerFaultCode, message: string): Checked => fault({ line, seq }, code, message);
  if (seq !== point.lastSeq && value.ledgerHead === point.ledgerHead) {
    return refused("altered", `Line ${line} is the signed head of record ${point.lastSeq} and says ${seq}.`);
  }
  if (seq > point.lastSeq) return misplaced(at, awaitedRecord(point.lastSeq + 1));
  if (seq <= (point.signed?.seq ?? 0)) {
    return refused("added", `Line ${line} holds a signed head of record ${seq} again.`);
  }
  if (seq < point.lastSeq) {
    return refused(
      "reordered",
      `Line ${line} holds the signed head of record ${seq}, behind a later record.`,
    );
  }
  return checkSignature(point, at, verifier);
}

function checkSignature(point: LedgerPoint, at: HeadAt, verifier: SignatureVerifier): Checked {
  const { line, value } = at;
  const { seq, signature } = value;
  const refused = (code: LedgerFaultCode, message: string): Checked => fault({ line, seq }, code, message);
  const verdict = verifier.verifySignature(statementBytes(point.planId, value), signature);
  if (value.ledgerHead !== point.ledgerHead) {
    return verdict === "valid"
      ? refused(
          "altered",
          `The records up to ${seq} were rewritten: they chain to ${point.ledgerHead}, and what was signed (line ${line}) is ${value.ledgerHead}.`,
        )
      : refused("altered", `The signed head in line ${line} does not name the head of record ${seq}.`);
  }
  switch (verdict) {
    case "other_key":
      return refused(
        "wrong_key",
        `The head of record ${seq} (line ${line}) is signed with the key ${signature.keyId}; the key given is ${verifier.keyId}.`,
      );
    case "invalid":
      return refused(
        "altered",
        `The signature in line ${line} names the key given, and is not its signature of this head: the head, or the records up to ${seq}, were rewritten.`,
      );
    case "mislabelled":
      return refused(
        "altered",
        `The signature in line ${line} is the given key's, under another key's name.`,
      );
    case "valid":
      return value.kind === "seal" ? checkSeal(point, { ...at, value }) : checkHead(point, at);
    default:
      return verdict satisfies never;
  }
}

function checkSeal(point: LedgerPoint, { line, value }: LineAt<LedgerLineOf<"seal">>): Checked {
  const { seq, run, digest } = value;
  if (point.awaits !== "seal" || run !== point.replay.run) {
    return fault(
      { line, seq },
      "added",
      `Line ${line} seals run ${run}, which does not end at record ${seq}.`,
    );
  }
  if (digest !== point.replay.chainHead) {
    return fault(
      { line, seq },
      "digest_mismatch",
      `Run ${run} is sealed (line ${line}) under the digest ${digest}; its changes come to ${point.replay.chainHead}.`,
    );
  }
  const { awaits: _, ...rest } = point;
  return sound({ ...rest, sealedRun: run, signed: signedHead(point, digest) });
}

function checkHead(point: LedgerPoint, at: HeadAt): Checked {
  if (point.awaits === "seal") return misplaced(at, awaitedHead(point));
  const { awaits: _, ...rest } = point;
  return sound({ ...rest, signed: signedHead(point, point.signed?.digest) });
}

function signedHead({ lastSeq, ledgerHead, replay }: LedgerPoint, digest: string | undefined) {
  const { phase, run } = replay;
  return { seq: lastSeq, ledgerHead, phase, run, ...(digest === undefined ? {} : { digest }) };
}

function statementBytes(planId: string, value: HeadAt["value"]): Uint8Array {
  return value.kind === "seal"
    ? sealStatementBytes({ ...value, planId })
    : headStatementBytes({ ...value, planId });
}
