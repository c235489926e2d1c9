import { endpointEnvironment } from "#infra/deploy/deploy-to-endpoint.ts";
import { firstToken } from "#infra/deploy/first-token.ts";
import { scriptOptions, wrongUsage } from "./script-options.ts";

const help = `Usage: npm run deploy:token -- --tenant NAME [--principal NAME] [--table NAME]

Makes a token with every scope for a tenant of a deployed service, by writing it to the service's table
under your AWS credentials (AWS_PROFILE, AWS_REGION and so on; with AWS_ENDPOINT_URL as deploy:local has
them). It is printed once and kept nowhere. Further tokens of the tenant come from this one: planledger token create.

  --tenant NAME     a tenant that exists, or a new one: up to 128 characters, no '#'
  --principal NAME  who the token stands for (default: owner)
  --table NAME      the service's table, which has the name of its stack (default: planledger)
`;

const { values } = scriptOptions(
  {
    options: {
      tenant: { type: "string" },
      principal: { type: "string", default: "owner" },
      table: { type: "string", default: "planledger" },
    },
  },
  help,
);
const { tenant } = values;
if (tenant === undefined) wrongUsage("name the tenant: --tenant NAME");
const { AWS_ENDPOINT_URL: endpointUrl, AWS_PROFILE: profile } = process.env;
// Spoken to as deploy:local does; keys of a profile would lose against the stand-ins.
const environment = endpointUrl && !profile ? endpointEnvironment(endpointUrl) : process.env;
const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION;
if (region === undefined) wrongUsage("set AWS_REGION to the region of the service");
const place = { environment: { ...environment, AWS_REGION: region }, tableName: values.table };
try {
  process.stdout.write(`${await firstToken(place, { tenant, principal: values.principal })}\n`);
} catch (fault) {
  process.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exitCode = 1;
}
