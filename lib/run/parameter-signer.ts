import { GetParameterCommand, type SSMClient } from "@aws-sdk/client-ssm";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { ed25519Signer } from "./ed25519-signer.ts";
import type { Signer } from "./signer.ts";
import { signerFault } from "./signer-fault.ts";

/**
 * Signs with an Ed25519 private key in PEM (PKCS#8) that an SSM parameter holds, a SecureString; read here, once. A parameter of
 * another type, or one that holds no such key, is `signing_refused`; no message shows what it holds.
 */
export async function parameterSigner(options: {
  readonly client: SSMClient;
  readonly name: string;
}): Promise<Signer> {
  const { client, name } = options;
  const doing = "read the SSM parameter of SIGNING_KEY";
  const refused = (problem: string): InfrastructureError =>
    new InfrastructureError({
      code: "signing_refused",
      message: `Could not ${doing}: ${problem}.`,
    });
  let parameter: { readonly Type?: string | undefined; readonly Value?: string | undefined } | undefined;
  try {
    ({ Parameter: parameter } = await client.send(
      new GetParameterCommand({ Name: name, WithDecryption: true }),
    ));
  } catch (fault) {
    const remedy =
      `Create it with an Ed25519 key first, and grant the function's role ssm:GetParameter on it ` +
      "(and kms:Decrypt where a key of your own encrypts it).";
    throw signerFault(fault, { doing, remedy });
  }
  if (parameter?.Type !== "SecureString") throw refused("it must be a SecureString");
  try {
    return ed25519Signer(parameter.Value ?? "");
  } catch {
    // Without the cause: its message may show a part of the key.
    throw refused("it holds no Ed25519 private key in PEM (PKCS#8)");
  }
}
