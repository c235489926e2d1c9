import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Deployment, readDeployment } from "./deployment.ts";
import { runCdk } from "./run-cdk.ts";

/**
 * What an endpoint that is not AWS's own is spoken to with: whatever this process has, and stand-ins for credentials and
 * region where it has none.
 */
export const endpointEnvironment = (
  endpointUrl: string,
  variables: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv => ({
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_REGION: "us-east-1",
  // The CDK's own clients take the one of S3 by itself only.
  AWS_ENDPOINT_URL_S3: endpointUrl,
  ...variables,
  AWS_ENDPOINT_URL: endpointUrl,
});

/**
 * Deploys the CDK app of this checkout to a LocalStack-compatible endpoint: bootstraps it unless told that it is, then
 * deploys without asking. What cdk-nag finds is not looked at here. `context` is that of `cdk.json`, as `name=value`.
 */
export async function deployToEndpoint(order: {
  readonly endpointUrl: string;
  readonly context: readonly string[];
  readonly isBootstrapped: boolean;
  readonly log: (line: string) => void;
}): Promise<Deployment> {
  const { endpointUrl, log } = order;
  const directory = mkdtempSync(join(tmpdir(), "planledger-deploy-"));
  const assembly = join(directory, "cdk.out");
  const outputsFile = join(directory, "outputs.json");
  const context = order.context.flatMap((one) => ["--context", one]);
  // It speaks to that endpoint and to nobody else, and keeps nothing of it.
  const apart = { CDK_HOME: directory, CDK_DISABLE_CLI_TELEMETRY: "true", CDK_DISABLE_VERSION_CHECK: "true" };
  const options = {
    environment: { CDK_VALIDATION: "false", ...endpointEnvironment(endpointUrl), ...apart },
    quiet: true,
  };
  const cdk = (...args: readonly string[]) => runCdk([...args, "--no-notices", "--ci"], options);
  try {
    log("bundling and rendering ...");
    await cdk("synth", "--quiet", "--output", assembly, ...context);
    if (!order.isBootstrapped) {
      log("bootstrapping ...");
      await cdk("bootstrap", "--app", assembly);
    }
    log("deploying ...");
    // Change sets are what such endpoints are weakest at.
    const plainly = ["--require-approval", "never", "--method", "direct"];
    await cdk("deploy", "--app", assembly, ...plainly, "--outputs-file", outputsFile);
    return readDeployment(outputsFile, endpointUrl);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
