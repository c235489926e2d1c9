import { deployLocally } from "#infra/deploy/local-deployment.ts";
import { scriptOptions, wrongUsage } from "./script-options.ts";

const help = `Usage: npm run [--silent] deploy:local -- [--port N] [--context NAME=VALUE]... [--json]

Bootstraps and deploys the service to the LocalStack-compatible server at AWS_ENDPOINT_URL. Where that is not
set, it starts a MiniStack of its own (Python 3.10 or later; installed once into a virtual environment below
node_modules), which runs until Ctrl-C and keeps nothing.

  --port N               where a server of its own listens on 127.0.0.1 (default: any free port)
  --context NAME=VALUE   as for cdk deploy; docs/reference/deploying.md lists them
  --json                 print one JSON document: "url", "token", "endpointUrl", and what npm run test:deployed takes;
                         with --silent, or npm prints lines of its own before it
`;

const { values } = scriptOptions(
  {
    options: {
      port: { type: "string" },
      context: { type: "string", short: "c", multiple: true, default: [] },
      json: { type: "boolean" },
    },
  },
  help,
);
const port = values.port === undefined ? undefined : Number(values.port);
if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
  wrongUsage(`--port must be 1 to 65535, not ${values.port}`);
}
const interrupted = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
});
try {
  const deployed = await deployLocally({
    endpointUrl: process.env.AWS_ENDPOINT_URL || undefined,
    port,
    context: values.context,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const { url, token, endpointUrl } = deployed;
  process.stdout.write(
    values.json === true
      ? `${JSON.stringify(deployed)}\n`
      : `\nPlanledger is deployed to ${endpointUrl}\n\n  export PLANLEDGER_URL='${url}'\n  export PLANLEDGER_TOKEN=${token}\n`,
  );
  if (deployed.serverLogFile !== undefined) {
    process.stderr.write(`\nThe server logs to ${deployed.serverLogFile}. Ctrl-C ends it.\n`);
    // Neither the server nor a signal's handler keeps this process.
    const stay = setInterval(() => {}, 2 ** 30);
    await interrupted;
    clearInterval(stay);
    process.stderr.write("stopping\n");
  }
  await deployed.stop();
} catch (fault) {
  process.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exitCode = 1;
}
