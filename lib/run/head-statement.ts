import { canonicalJson } from "../canonical/canonical-json.ts";

/** What is signed when a ledger goes on after a run's seal: an approval, an apply, a rollback. */
export interface HeadStatement {
  readonly planId: string;
  /** Number of the ledger's last record, and the head that chains all up to it. */
  readonly seq: number;
  readonly ledgerHead: string;
}

/** The bytes under the signature: the canonical form of `["planledger-head/1", planId, seq, ledgerHead]`. */
export function headStatementBytes({ planId, seq, ledgerHead }: HeadStatement): Uint8Array {
  return Buffer.from(canonicalJson(["planledger-head/1", planId, seq, ledgerHead]));
}
