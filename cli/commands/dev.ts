import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { EmbeddedService } from "#infra/local/start-embedded-service.ts";
import { isIssuerUrl } from "#lib/access/is-issuer-url.ts";
import { validationIssues } from "#lib/errors/validation-issue.ts";
import { jsonLinesLog } from "#lib/log/json-lines-log.ts";
import type { Log } from "#lib/log/log.ts";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import { quotaDocument } from "#lib/quota/quota-document.ts";
import { systemClock } from "#lib/runtime/system-clock.ts";
import { makePrivateFolder, removeDevFile, writeDevFile } from "../dev-file.ts";
import { wholeNumber } from "../number-option.ts";
import type { Paint } from "../paint.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly port: number;
  readonly data?: string;
  readonly verbose?: boolean;
  readonly allowHost?: readonly string[];
  readonly jwtIssuer?: string;
  readonly jwtAudience?: string;
  readonly quotas?: string;
}

/** `dev`: runs until it is interrupted. Everything it acknowledged is there again at the next start on the same data. */
export function addDevCommand(program: Command, session: Session): void {
  program
    .command("dev")
    .description("run the whole service on this machine, until Ctrl-C")
    .option(
      "--port <n>",
      "where to listen on 127.0.0.1; 0 for any free port",
      wholeNumber({ minimum: 0, maximum: 65_535 }),
      7070,
    )
    .option("--data <dir>", "where everything is kept across restarts (default: .planledger/data)")
    .option(
      "--allow-host <host[:port]>",
      "let tools and webhooks reach this host although its address is not public; may be given again",
      collectHosts,
    )
    .option(
      "--jwt-issuer <url>",
      "take JWTs of this OIDC issuer too (claims: tenant, sub, scope); needs --jwt-audience",
      issuerUrl,
    )
    .option("--jwt-audience <name>", "the audience that those JWTs must be for")
    .option(
      "--quotas <json>",
      "hold tenants to quotas, {} for the defaults; without it there are no limits",
      quotasJson,
    )
    .option("--verbose", "log what the service does to stderr, not only what goes wrong")
    .option("--json", 'print { "url", "token", "publicKeyFile", "submissionsQueueUrl" } as one JSON document')
    .action(async (options: Options) => {
      let service: EmbeddedService | undefined;
      await runAction(session, options, async () => {
        if ((options.jwtIssuer === undefined) !== (options.jwtAudience === undefined)) {
          throw new UsageError("--jwt-issuer and --jwt-audience go together");
        }
        const dataDir =
          options.data === undefined
            ? join(await makePrivateFolder(session.cwd), "data")
            : resolve(session.cwd, options.data);
        service = await start(session, { ...options, dataDir });
        const { url, token, publicKeyFile } = service;
        const submissionsQueueUrl = service.submissionQueueUrls.submissions ?? "";
        await writeDevFile(session.cwd, { url, token, submissionsQueueUrl, pid: process.pid });
        return {
          json: () => ({ url, token, publicKeyFile, submissionsQueueUrl }),
          text: (paint) => greeting({ url, token, dataDir, publicKeyFile, submissionsQueueUrl }, paint),
        };
      });
      if (service === undefined) return;
      await aborted(session.signal);
      session.stderr.write("stopping\n");
      await service.stop();
      await removeDevFile(session.cwd, service.url);
    });
}

/** Each is read here, so that a wrong one is wrong usage. */
function collectHosts(entry: string, before: readonly string[] = []): readonly string[] {
  try {
    allowedHosts([entry]);
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
  return [...before, entry.trim()];
}

function issuerUrl(text: string): string {
  if (isIssuerUrl(text)) return text;
  throw new InvalidArgumentError("It must be an HTTPS URL, as the issuer's JWTs have it in `iss`.");
}

function quotasJson(text: string): string {
  const problems = quotaProblems(text);
  if (problems.length === 0) return text;
  throw new InvalidArgumentError(`It must be a JSON object of limits: ${problems.join("; ")}.`);
}

function quotaProblems(text: string): readonly string[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return ["it is no JSON"];
  }
  const { error } = quotaDocument.safeParse(json);
  const issues = validationIssues(error?.issues ?? [], { value: json, schema: quotaDocument });
  return issues.map(({ field, message }) => `${field === "" ? "it" : field} ${message}`);
}

/** As the functions of a deploy have them. */
const settingsOf = ({ jwtIssuer, jwtAudience, quotas }: Settings): Readonly<Record<string, string>> => ({
  ...(jwtIssuer === undefined ? {} : { JWT_ISSUER: jwtIssuer }),
  ...(jwtAudience === undefined ? {} : { JWT_AUDIENCE: jwtAudience }),
  ...(quotas === undefined ? {} : { QUOTAS: quotas }),
});
type Settings = Pick<Options, "jwtIssuer" | "jwtAudience" | "quotas">;

async function start(
  session: Session,
  options: Omit<Options, "data" | "json"> & { readonly dataDir: string },
): Promise<EmbeddedService> {
  // The service's modules are of no use to the other commands, and take time to load.
  const { startEmbeddedService } = await import("#infra/local/start-embedded-service.ts");
  const awsEndpointUrl = session.env.AWS_ENDPOINT_URL;
  return startEmbeddedService({
    port: options.port,
    dataDir: options.dataDir,
    version: session.version,
    allowedHosts: options.allowHost ?? [],
    settings: settingsOf(options),
    log: stderrLog(session, options.verbose === true),
    ...(awsEndpointUrl === undefined || awsEndpointUrl === "" ? {} : { awsEndpointUrl }),
  });
}

function stderrLog(session: Session, verbose: boolean): Log {
  const lines = jsonLinesLog({
    clock: systemClock,
    writeLine: (line) => session.stderr.write(`${line}\n`),
  });
  return { write: (record) => (verbose || record.level !== "info" ? lines.write(record) : undefined) };
}

function greeting(
  running: Pick<EmbeddedService, "url" | "token" | "publicKeyFile"> & {
    readonly dataDir: string;
    readonly submissionsQueueUrl: string;
  },
  paint: Paint,
): string {
  return [
    `${paint("bold", "Planledger is running.")} Commands started in this directory find it by themselves; elsewhere:\n`,
    "\n",
    `  export PLANLEDGER_URL=${running.url}\n`,
    `  export PLANLEDGER_TOKEN=${running.token}\n`,
    "\n",
    `Plans are taken from the queue ${running.submissionsQueueUrl} too.\n`,
    `Ledgers are signed; the public key for \`planledger verify --file\` is ${running.publicKeyFile}\n`,
    `${paint("dim", `Data is kept in ${running.dataDir}. Ctrl-C stops it.`)}\n`,
  ].join("");
}

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
