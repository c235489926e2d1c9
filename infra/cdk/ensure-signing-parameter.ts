import { generateKeyPairSync } from "node:crypto";
import { ParameterAlreadyExists, PutParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { parameterSigner } from "#lib/run/parameter-signer.ts";

/**
 * Makes the SSM SecureString that a deploy with `-c signing=parameter:NAME` signs with, which CloudFormation cannot make. One
 * that stands is kept: a new key would be a new identity of every ledger. Gives the public key, for `verify` offline.
 */
export async function ensureSigningParameter(options: {
  readonly client: SSMClient;
  readonly name: string;
}): Promise<{ readonly created: boolean; readonly publicKeyPem: string }> {
  const { client, name } = options;
  const { privateKey } = generateKeyPairSync("ed25519");
  let created = true;
  try {
    await client.send(
      new PutParameterCommand({
        Name: name,
        Description: "Signs the heads of Planledger's ledgers (Ed25519, PKCS#8).",
        Type: "SecureString",
        Value: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
        Overwrite: false,
      }),
    );
  } catch (fault) {
    if (!(fault instanceof ParameterAlreadyExists)) throw fault;
    created = false;
  }
  const signer = await parameterSigner({ client, name });
  return { created, publicKeyPem: await signer.publicKey() };
}
