import { generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ed25519Signer } from "#lib/run/ed25519-signer.ts";
import { writePrivate } from "./first-token.ts";

/**
 * The file of the Ed25519 key that signs ledgers, made at the first start; beside it the public key, for `verify` offline.
 */
export const signingKeyFile = async (directory: string): Promise<string> => {
  const file = join(directory, "signing-key.pem");
  if (existsSync(file)) return file;
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  writePrivate(join(directory, "signing-key.pub.pem"), await ed25519Signer(pem).publicKey());
  // Last: where it stands, the public key stands too.
  writePrivate(file, pem);
  return file;
};
