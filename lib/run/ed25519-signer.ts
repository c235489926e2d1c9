import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { ValidationError } from "../errors/planledger-error.ts";
import type { Signer } from "./signer.ts";

/** Signs with an Ed25519 private key in PEM (PKCS#8). The key's id is the first 16 hex digits of its public key's SHA-256. */
export const ed25519Signer = (privateKeyPem: string): Signer => {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyType !== "ed25519") {
    throw new ValidationError({
      field: "privateKeyPem",
      message: `The signing key is of type ${privateKey.asymmetricKeyType}; it must be Ed25519.`,
    });
  }
  const publicKey = createPublicKey(privateKey);
  const keyId = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex")
    .slice(0, 16);
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
