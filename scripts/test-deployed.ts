import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { deployLocally } from "#infra/deploy/local-deployment.ts";
import { scriptOptions } from "./script-options.ts";

const help = `Usage: npm run test:deployed -- [--deployment FILE] [--only features|service]

Holds a deployed service to the features that the embedded one is held to, then looks behind it: queues,
dead letters, schedules, an update with a plan in flight.

Deploys first, as npm run deploy:local does: to AWS_ENDPOINT_URL, or where that is not set to a server of its
own, which ends with the tests. With --deployment it tests what npm run --silent deploy:local -- --json
printed into FILE. With PLANLEDGER_URL and PLANLEDGER_TOKEN it runs the features against that service, and nothing else:
the other tests stop queues, break messages and deploy, which is not for a service that somebody uses.
`;

/** Tools may reach this machine, since a test serves one. */
const context = ["allowedHosts=127.0.0.1", "retainData=false"];
const root = join(import.meta.dirname, "..");
const { values } = scriptOptions(
  { options: { deployment: { type: "string" }, only: { type: "string" } } },
  help,
);
const { PLANLEDGER_URL: url, PLANLEDGER_TOKEN: token } = process.env;
const started = performance.now();
const log = (line: string): void => {
  process.stderr.write(`${line} (${((performance.now() - started) / 1000).toFixed(0)} s)\n`);
};

const withFeatures = values.only !== "service";
const withService = values.only !== "features";

/** Whether it went well. Output of what runs beside something else is shown in one piece, at its end. */
async function run(
  args: readonly string[],
  { environment, isBeside = false }: { readonly environment: NodeJS.ProcessEnv; readonly isBeside?: boolean },
): Promise<boolean> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: isBeside ? ["ignore", "pipe", "inherit"] : ["ignore", "inherit", "inherit"],
    env: { ...process.env, ...environment },
  });
  const output = child.stdout === null ? "" : text(child.stdout);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.once("error", () => resolve(false)).once("close", (code) => resolve(code === 0));
  const isGood = await promise;
  process.stdout.write(await output);
  return isGood;
}

async function features(service: { readonly url: string; readonly token: string }): Promise<boolean> {
  log("features");
  const cucumber = join(root, "node_modules", "@cucumber", "cucumber", "bin", "cucumber.js");
  // What is not @http speaks to no service. None of the rest needs anything of the embedded one: all of it is run.
  const args = [cucumber, "--tags", "@http", "--parallel", "2"];
  return run(args, { environment: { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: service.token } });
}

async function tests(files: string, deploymentFile: string, isBeside: boolean): Promise<boolean> {
  const found = globSync(`test/deployed/${files}.deployed.test.ts`, { cwd: root }).sort();
  // One file after another: each may do things to queues and functions that the others would not expect.
  const args = ["--test", "--test-concurrency=1", ...found];
  return run(args, { environment: { PLANLEDGER_DEPLOYMENT: deploymentFile }, isBeside });
}

async function everything(
  service: { readonly url: string; readonly token: string },
  deploymentFile: string,
): Promise<boolean> {
  const first = await Promise.all([
    !withFeatures || features(service),
    !withService || tests("pipeline", deploymentFile, withFeatures),
  ]);
  if (!withService) return first.every(Boolean);
  log("redelivery, dead letters, an update");
  return (await tests("{redelivery,update}", deploymentFile, false)) && first.every(Boolean);
}

const lastLines = (file: string): string => readFileSync(file, "utf8").split("\n").slice(-150).join("\n");

async function deployedTests(): Promise<boolean> {
  if (url !== undefined && token !== undefined) return features({ url, token });
  if (values.deployment !== undefined) {
    const given: { readonly url: string; readonly token: string } = JSON.parse(
      readFileSync(values.deployment, "utf8"),
    );
    return everything(given, values.deployment);
  }
  const directory = mkdtempSync(join(tmpdir(), "planledger-deployed-"));
  const endpointUrl = process.env.AWS_ENDPOINT_URL || undefined;
  try {
    const deployed = await deployLocally({ endpointUrl, context, log });
    try {
      const deploymentFile = join(directory, "deployment.json");
      writeFileSync(deploymentFile, JSON.stringify(deployed), { mode: 0o600 });
      const isGood = await everything(deployed, deploymentFile);
      if (!isGood && deployed.serverLogFile !== undefined) {
        process.stderr.write(`the end of the server's log:\n${lastLines(deployed.serverLogFile)}\n`);
      }
      return isGood;
    } finally {
      await deployed.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

try {
  if (!(await deployedTests())) process.exitCode = 1;
  log(process.exitCode === 1 ? "failed" : "all passed");
} catch (fault) {
  process.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exitCode = 1;
}
