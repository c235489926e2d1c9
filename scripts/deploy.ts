import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readDeployment } from "#infra/deploy/deployment.ts";
import { firstOwner, firstToken, hasTokens } from "#infra/deploy/first-token.ts";
import { runCdk } from "#infra/deploy/run-cdk.ts";
import { wrongUsage } from "./script-options.ts";

const help = `Usage: npm run deploy -- [what cdk deploy takes]

A plain cdk deploy of this checkout to AWS, as AWS_PROFILE and AWS_REGION have it; then the service's address, and,
the first time, its first token. docs/reference/deploying.md has the context (-c NAME=VALUE), and npx cdk deploy
--help all other options; --profile and --outputs-file are not for here.
`;

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(help);
  process.exit(0);
}
const profile = args.findIndex((arg) => arg === "--profile" || arg.startsWith("--profile="));
if (profile !== -1 || args.includes("--outputs-file")) {
  wrongUsage(
    "--profile and --outputs-file are not for here: set AWS_PROFILE instead, and read the outputs from the stack",
  );
}
const directory = mkdtempSync(join(tmpdir(), "planledger-deploy-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
const outputsFile = join(directory, "outputs.json");
try {
  await runCdk(["deploy", ...args, "--outputs-file", outputsFile], { environment: process.env });
  const { url, region, tableName } = readDeployment(outputsFile, process.env.AWS_ENDPOINT_URL || undefined);
  process.stdout.write(`\nPlanledger is deployed at\n\n  export PLANLEDGER_URL='${url}'\n`);
  const place = { environment: { ...process.env, AWS_REGION: region }, tableName };
  const token = (await hasTokens(place, firstOwner.tenant)) ? undefined : await firstToken(place, firstOwner);
  process.stdout.write(
    token === undefined
      ? `\nTenant ${firstOwner.tenant} has its tokens already. For another tenant, or if they are lost: npm run deploy:token -- --help\n`
      : `  export PLANLEDGER_TOKEN=${token}\n\nThis is the first token of tenant ${firstOwner.tenant}, with every scope. It is not shown again.\n`,
  );
} catch (fault) {
  process.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exitCode = 1;
}
