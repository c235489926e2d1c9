import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deployLocally } from "#infra/deploy/local-deployment.ts";

const help = `Usage: npm run test:deployed -- [--deployment FILE] [--only features|service]

Holds a deployed service to the features that the embedded one is held to, then looks behind it: queues,
dead letters, schedules, an update with a plan in flight.

Deploys first, as npm run deploy:local does: to AWS_ENDPOINT_URL, or where that is not set to a server of its
own, which ends with the tests. With --deployment it tests what npm run deploy:local -- --json printed into
FILE. With PLANLEDGER_URL and PLANLEDGER_TOKEN it runs the features against that service, and nothing else:
the other tests stop queues, break messages and deploy, which is not for a service that somebody uses.
`;

/** Tools may reach this machine, since a test serves one. */
const context = ["allowedHosts=127.0.0.1", "retainData=false"];
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({
  options: { deployment: { type: "string" }, only: { type: "string" }, help: { type: "boolean" } },
});
if (values.help === true) {
  process.stdout.write(help);
  process.exit(0);
}
const { PLANLEDGER_URL: url, PLANLEDGER_TOKEN: token } = process.env;
const started = performance.now();
const log = (line: string): void => {
  process.stderr.write(`${line} (${((performance.now() - started) / 1000).toFixed(0)} s)\n`);
};

async function run(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<boolean> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    env: environment,
  });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.once("error", () => resolve(false)).once("close", (code) => resolve(code === 0));
  return promise;
}

async function features(service: { readonly url: string; readonly token: string }): Promise<boolean> {
  if (values.only === "service") return true;
  log("features");
  const cucumber = join(root, "node_modules", "@cucumber", "cucumber", "bin", "cucumber.js");
  // What is not @http never speaks to a service. @embedded: see features/support/service.ts.
  return run([cucumber, "--tags", "@http and not @embedded", "--parallel", "2"], {
    ...process.env,
    PLANLEDGER_URL: service.url,
    PLANLEDGER_TOKEN: service.token,
  });
}

async function service(deploymentFile: string): Promise<boolean> {
  if (values.only === "features") return true;
  log("what stands behind the service");
  const files = globSync("test/deployed/*.deployed.test.ts", { cwd: root }).sort();
  // One file after another: each may do things to queues that the others would not expect.
  return run(["--test", "--test-concurrency=1", ...files], {
    ...process.env,
    PLANLEDGER_DEPLOYMENT: deploymentFile,
  });
}

async function deployedTests(): Promise<boolean> {
  if (url !== undefined && token !== undefined) return features({ url, token });
  if (values.deployment !== undefined) {
    const given: { readonly url: string; readonly token: string } = JSON.parse(
      readFileSync(values.deployment, "utf8"),
    );
    return (await features(given)) && (await service(values.deployment));
  }
  const directory = mkdtempSync(join(tmpdir(), "planledger-deployed-"));
  const endpointUrl = process.env.AWS_ENDPOINT_URL || undefined;
  try {
    const deployed = await deployLocally({ endpointUrl, context, log });
    try {
      const deploymentFile = join(directory, "deployment.json");
      writeFileSync(deploymentFile, JSON.stringify(deployed), { mode: 0o600 });
      return (await features(deployed)) && (await service(deploymentFile));
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
