import { SSMClient } from "@aws-sdk/client-ssm";
import { ensureSigningParameter } from "../infra/cdk/ensure-signing-parameter.ts";
import { scriptOptions, wrongUsage } from "./script-options.ts";

const help = `Usage: npx node scripts/signing-parameter.ts NAME

Makes the signing key of a deploy with -c signing=parameter:NAME where it does not stand yet, with the region,
credentials and endpoint that the AWS SDK finds, and prints its public key.
`;

const { positionals } = scriptOptions({ allowPositionals: true }, help);
const [name] = positionals;
if (name === undefined || positionals.length !== 1)
  wrongUsage("name one parameter, such as /planledger/signing-key");
try {
  const { created, publicKeyPem } = await ensureSigningParameter({ client: new SSMClient(), name });
  process.stderr.write(created ? `Made ${name}.\n` : `${name} stands already; its key is kept.\n`);
  process.stdout.write(publicKeyPem);
} catch (fault) {
  process.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exitCode = 1;
}
