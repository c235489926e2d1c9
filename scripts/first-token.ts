import { parseArgs } from "node:util";
import { firstToken } from "#infra/deploy/first-token.ts";

const help = `Usage: npm run deploy:token -- --tenant NAME [--principal NAME] [--table NAME]

Makes a token with every scope for a tenant of a deployed service, by writing it to the service's table
under your AWS credentials (AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL and so on). It is printed once and
kept nowhere. Further tokens of the tenant come from this one: planledger token create.

  --tenant NAME     a tenant that exists, or a new one: up to 128 characters, no '#'
  --principal NAME  who the token stands for (default: owner)
  --table NAME      the service's table, which has the name of its stack (default: planledger)
`;

const { values } = parseArgs({
  options: {
    tenant: { type: "string" },
    principal: { type: "string", default: "owner" },
    table: { type: "string", default: "planledger" },
    help: { type: "boolean" },
  },
});
const { tenant } = values;
const region = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
if (values.help === true || tenant === undefined || region === undefined) {
  process.stdout.write(help);
  if (region === undefined) process.stderr.write("error: set AWS_REGION to the region of the service\n");
  if (values.help !== true) process.exitCode = 2;
} else {
  const place = { environment: { ...process.env, AWS_REGION: region }, tableName: values.table };
  try {
    process.stdout.write(`${await firstToken(place, { tenant, principal: values.principal })}\n`);
  } catch (fault) {
    process.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
    process.exitCode = 1;
  }
}
