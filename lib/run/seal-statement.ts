import { canonicalJson } from "../canonical/canonical-json.ts";

/** What is signed when a run ends. */
export interface SealStatement {
  readonly planId: string;
  readonly run: number;
  readonly digest: string;
  /** Number of the ledger's last record, and the head that chains all up to it. */
  readonly seq: number;
  readonly ledgerHead: string;
}

/** The bytes under the signature: the canonical form of `["planledger-seal/1", planId, run, digest, seq, ledgerHead]`. */
export function sealStatementBytes(statement: SealStatement): Uint8Array {
  const { planId, run, digest, seq, ledgerHead } = statement;
  return Buffer.from(canonicalJson(["planledger-seal/1", planId, run, digest, seq, ledgerHead]));
}
