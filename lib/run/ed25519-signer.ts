import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { ValidationError } from "../errors/planledger-error.ts";
import { keyIdOf } from "./key-id.ts";
import type { Signer } from "./signer.ts";

/** Signs with an Ed25519 private key in PEM (PKCS#8). The key's id is its public key's fingerprint (`key-id.ts`). */
export const ed25519Signer = (privateKeyPem: string): Signer => {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyType !== "ed25519") {
    throw new ValidationError({
      field: "privateKeyPem",
      message: `The signing key is of type ${privateKey.asymmetricKeyType}; it must be Ed25519.`,
    });
  }
  const publicKey = createPublicKey(privateKey);
  const keyId = keyIdOf(publicKey);
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  return {
    async sign(bytes) {
      return { algorithm: "Ed25519", keyId, value: sign(null, bytes, privateKey).toString("base64") };
    },
    async publicKey() {
      return pem;
    },
  };
};
