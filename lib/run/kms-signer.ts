import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { GetPublicKeyCommand, type KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { keyIdOf } from "./key-id.ts";
import type { Signer } from "./signer.ts";
import { signerFault } from "./signer-fault.ts";

const remedy =
  "Grant the function's role kms:Sign and kms:GetPublicKey on it, and see that the key is enabled, for SIGN_VERIFY, " +
  "of the spec ECC_NIST_EDWARDS25519.";

/** How KMS names plain Ed25519 (RFC 8032), which signs the message itself, at most 4,096 bytes of it. */
const signingAlgorithm = "ED25519_SHA_512";

/**
 * Signs with an asymmetric KMS key of the spec `ECC_NIST_EDWARDS25519`, named by its ARN; the private key never leaves KMS. The
 * public key is fetched here, once. Each signature is held to it before it is handed out, since what a ledger keeps can
 * never be signed anew. Throttled and failed calls are retried by the SDK; a refusal is `signing_refused`.
 */
export async function kmsSigner(options: {
  readonly client: KMSClient;
  readonly keyArn: string;
}): Promise<Signer> {
  const { client, keyArn } = options;
  const publicKey = await fetchPublicKey(client, keyArn);
  const keyId = keyIdOf(publicKey);
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  return {
    async sign(bytes) {
      const signature = await signed({ client, keyArn, bytes });
      if (signature === undefined || !verify(null, bytes, publicKey, signature)) {
        throw new InfrastructureError({ message: `KMS gave a signature that is not one by its key.` });
      }
      return { algorithm: "Ed25519", keyId, value: Buffer.from(signature).toString("base64") };
    },
    async publicKey() {
      return pem;
    },
  };
}

const signed = async (order: {
  readonly client: KMSClient;
  readonly keyArn: string;
  readonly bytes: Uint8Array;
}): Promise<Uint8Array | undefined> => {
  const { client, keyArn, bytes } = order;
  try {
    const { Signature } = await client.send(
      new SignCommand({
        KeyId: keyArn,
        Message: bytes,
        MessageType: "RAW",
        SigningAlgorithm: signingAlgorithm,
      }),
    );
    return Signature;
  } catch (fault) {
    throw signerFault(fault, { doing: "sign with the KMS key of SIGNING_KEY", remedy });
  }
};

const fetchPublicKey = async (client: KMSClient, keyArn: string): Promise<KeyObject> => {
  const doing = "fetch the public key of the KMS key of SIGNING_KEY";
  let der: Uint8Array | undefined;
  try {
    ({ PublicKey: der } = await client.send(new GetPublicKeyCommand({ KeyId: keyArn })));
  } catch (fault) {
    throw signerFault(fault, { doing, remedy });
  }
  const key =
    der === undefined ? undefined : createPublicKey({ key: Buffer.from(der), format: "der", type: "spki" });
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw new InfrastructureError({
    code: "signing_refused",
    message: `Could not ${doing}: it is of type ${key?.asymmetricKeyType ?? "none"}, ledgers are signed with Ed25519. ${remedy}`,
  });
};
