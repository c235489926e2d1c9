import type * as z from "zod/mini";
import type { keysReply } from "../api/service-replies.ts";
import { signatureVerifier } from "../run/signature-verifier.ts";
import type { Signer } from "../run/signer.ts";

/** The public keys of the service's signatures, each under the id that signatures name. */
export const signingKeys = async (signer: Pick<Signer, "publicKey">): Promise<z.output<typeof keysReply>> => {
  const publicKeyPem = await signer.publicKey();
  const { keyId } = signatureVerifier(publicKeyPem);
  return { keys: [{ keyId, algorithm: "Ed25519", publicKeyPem }] };
};
