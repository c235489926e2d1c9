import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Stack, Validations } from "aws-cdk-lib";
import { Code } from "aws-cdk-lib/aws-lambda";
import { AwsSolutionsChecks } from "cdk-nag";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import packageJson from "../../package.json" with { type: "json" };
import { topology } from "../topology.ts";
import { bundleFunction } from "./bundle-function.ts";
import { type DeploySettings, deploySettings } from "./deploy-settings.ts";
import { renderService } from "./render-service.ts";

/** The CDK app (`cdk.json`): bundles every function, renders the topology, checks it by cdk-nag. */
const app = new App();
const settings = settingsOrEnd();
const bundles = mkdtempSync(join(tmpdir(), "planledger-bundles-"));
process.once("exit", () => rmSync(bundles, { recursive: true, force: true }));
const codeOf = new Map<string, Code>();
await Promise.all(
  Object.values(topology.functions).map(async ({ entry }) => {
    const directory = join(bundles, entry.replaceAll(/\W/g, "-"));
    await bundleFunction(entry, directory);
    codeOf.set(entry, Code.fromAsset(directory));
  }),
);
const stack = new Stack(app, settings.name, {
  description: "Planledger: runs the plans of AI agents and keeps a ledger of every change.",
});
renderService(
  stack,
  { topology, settings },
  {
    version: settings.version ?? packageJson.version,
    codeOf: (entry) => {
      const code = codeOf.get(entry);
      if (code === undefined) throw new Error(`${entry} was not bundled.`);
      return code;
    },
  },
);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }));
app.synth();

/** What is wrong with the context is for whoever deploys, and says all: where it was found in here would only hide it. */
function settingsOrEnd(): DeploySettings {
  try {
    return deploySettings(app);
  } catch (fault) {
    if (!(fault instanceof ValidationError)) throw fault;
    process.stderr.write(`error: ${fault.message}\n`);
    process.exit(1);
  }
}
