import { ValidationError } from "../errors/planledger-error.ts";
import { signatureVerifier } from "../run/signature-verifier.ts";
import { checkLine } from "./check-line.ts";
import { type LedgerFault, settleMisplaced } from "./ledger-fault.ts";
import type { LedgerPoint, SignedHead } from "./ledger-point.ts";
import { parseLedger } from "./parse-ledger.ts";

export type LedgerVerification =
  | {
      readonly ok: true;
      readonly planId: string;
      /** The last head: signed, and covering every record of the file. An older export ends in an older one. */
      readonly head: SignedHead;
      readonly records: number;
      readonly keyId: string;
    }
  | ({ readonly ok: false } & LedgerFault);

/**
 * Verifies an exported ledger, given as the bytes of the file in any pieces, under a public key (PEM) that must come from
 * elsewhere: every record against the hash its event covers, every event against the chain, the changes against the sealed
 * digests, the heads against the key. It stops at the first position that breaks; what follows is only read to tell the kinds
 * of damage apart. `expectedHead` (64 hex digits) must be the head that the ledger reaches. Reads one line at a time. A key or
 * an expected head that is none is a `ValidationError`; whatever the file holds is an answer.
 */
export async function verifyLedger(request: {
  readonly ledger: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  readonly publicKey: string;
  readonly expectedHead?: string;
}): Promise<LedgerVerification> {
  const verifier = signatureVerifier(request.publicKey);
  const { expectedHead } = request;
  if (expectedHead !== undefined && !/^[0-9a-f]{64}$/.test(expectedHead)) {
    throw new ValidationError({
      field: "expectedHead",
      message: `The expected head must be 64 lower-case hex digits, not '${expectedHead}'.`,
    });
  }
  const lines = parseLedger(request.ledger);
  let point: LedgerPoint | undefined;
  let line = 0;
  let expectedSeq: number | undefined;
  for await (const parsed of lines) {
    line = parsed.line;
    if (!parsed.ok) {
      const position = point === undefined ? { line } : { line, seq: point.lastSeq + 1 };
      const code = parsed.fault === "cut_off" ? "cut_off" : "altered";
      return { ok: false, position, code, message: parsed.message };
    }
    const checked = checkLine(point, parsed, verifier);
    if (checked.kind === "fault") return { ok: false, ...checked.fault };
    if (checked.kind === "misplaced") {
      return { ok: false, ...(await settleMisplaced(checked.misplaced, lines)) };
    }
    ({ point } = checked);
    if (point.ledgerHead === expectedHead) expectedSeq ??= point.lastSeq;
  }
  return conclude({ point, line, expectedHead, expectedSeq, keyId: verifier.keyId });
}

function conclude(read: {
  readonly point: LedgerPoint | undefined;
  readonly line: number;
  readonly expectedHead: string | undefined;
  readonly expectedSeq: number | undefined;
  readonly keyId: string;
}): LedgerVerification {
  const { point, line, expectedHead, expectedSeq, keyId } = read;
  const refused = (code: LedgerFault["code"], seq: number, message: string): LedgerVerification => ({
    ok: false,
    position: { line, seq },
    code,
    message,
  });
  if (point === undefined) {
    return { ok: false, position: { line: 1 }, code: "cut_off", message: "The file is empty." };
  }
  const { planId, lastSeq, signed } = point;
  if (!point.ended) {
    const position = { line: line + 1, seq: lastSeq + 1 };
    const message = `The file ends behind record ${lastSeq} (line ${line}), without the line that ends a ledger.`;
    return { ok: false, position, code: "cut_off", message };
  }
  if (signed === undefined || signed.seq < lastSeq) {
    const first = (signed?.seq ?? 0) + 1;
    const what =
      lastSeq === 0
        ? "The ledger has no record yet"
        : `The records from ${first} on are chained, and no signed head covers them`;
    return refused(
      "unsigned",
      first,
      `${what}: the plan was under way when this was exported, or signed heads were taken out.`,
    );
  }
  if (expectedHead !== undefined && expectedHead !== signed.ledgerHead) {
    const why =
      expectedSeq === undefined
        ? "is not among its heads: the ledger is older, or another"
        : `is that of record ${expectedSeq}, and the ledger goes on from there`;
    return refused(
      "wrong_head",
      lastSeq,
      `The ledger is sound and reaches head ${signed.ledgerHead} (record ${lastSeq}); the expected head ${expectedHead} ${why}.`,
    );
  }
  return { ok: true, planId, head: signed, records: lastSeq, keyId };
}
