import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { ValidationError } from "../errors/planledger-error.ts";
import type { Signature } from "./frontier.ts";
import { keyIdOf } from "./key-id.ts";

/**
 * What became of a signature under one key: `valid`; `other_key` when it is not this key's and does not claim to be;
 * `invalid` when it claims this key's id and is not its signature of these bytes; `mislabelled` when it is this key's
 * signature under another key's id.
 */
export type SignatureVerdict = "valid" | "other_key" | "invalid" | "mislabelled";

/** Judges signatures under one public key; it never takes a key from what it judges. */
export interface SignatureVerifier {
  readonly keyId: string;
  verifySignature(bytes: Uint8Array, signature: Signature): SignatureVerdict;
}

/** Takes the public key as PEM (SPKI, `BEGIN PUBLIC KEY`). A private key, another algorithm or no key is a `ValidationError`. */
export function signatureVerifier(publicKeyPem: string): SignatureVerifier {
  const key = publicKeyOf(publicKeyPem);
  const keyId = keyIdOf(key);
  return {
    keyId,
    verifySignature(bytes, signature) {
      const value = Buffer.from(signature.value, "base64");
      // Base64 has several spellings of the same bytes; only one of them is what was signed and kept.
      const genuine = value.toString("base64") === signature.value && verify(null, bytes, key, value);
      if (signature.keyId === keyId) return genuine ? "valid" : "invalid";
      return genuine ? "mislabelled" : "other_key";
    },
  };
}

function publicKeyOf(pem: string): KeyObject {
  // `createPublicKey` takes private keys too, which nobody should hand to a verifier.
  if (!pem.includes("-----BEGIN PUBLIC KEY-----")) {
    throw refused(
      "is no public key in PEM; it must hold a block that starts with -----BEGIN PUBLIC KEY-----",
    );
  }
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (cause) {
    throw refused("cannot be read as a PEM public key; the file may be damaged", cause);
  }
  if (key.asymmetricKeyType !== "ed25519") {
    throw refused(`is of type ${key.asymmetricKeyType}; ledgers are signed with Ed25519`);
  }
  return key;
}

const refused = (what: string, cause?: unknown): ValidationError =>
  new ValidationError({ field: "publicKey", message: `The public key ${what}.`, cause });
