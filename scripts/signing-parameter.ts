import { parseArgs } from "node:util";
import { SSMClient } from "@aws-sdk/client-ssm";
import { ensureSigningParameter } from "../infra/cdk/ensure-signing-parameter.ts";

/**
 * `node scripts/signing-parameter.ts NAME`: makes the signing key of a deploy with `-c signing=parameter:NAME` where it does not
 * stand yet, with the region, credentials and endpoint that the AWS SDK finds, and prints its public key.
 */
const { positionals } = parseArgs({ allowPositionals: true });
const [name] = positionals;
if (name === undefined || positionals.length !== 1) {
  process.stderr.write("Name one parameter: node scripts/signing-parameter.ts /planledger/signing-key\n");
  process.exit(2);
}
const { created, publicKeyPem } = await ensureSigningParameter({ client: new SSMClient(), name });
process.stderr.write(created ? `Made ${name}.\n` : `${name} stands already; its key is kept.\n`);
process.stdout.write(publicKeyPem);
