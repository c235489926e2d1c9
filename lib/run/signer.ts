import type { Signature } from "./frontier.ts";

/** Signs heads of changesets and ledgers: an Ed25519 key file in the embedded service, KMS on AWS. */
export interface Signer {
  sign(bytes: Uint8Array): Promise<Signature>;
  /** PEM (SPKI) of the public key. */
  publicKey(): Promise<string>;
}
