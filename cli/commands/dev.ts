import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { EmbeddedService } from "#infra/local/start-embedded-service.ts";
import { jsonLinesLog } from "#lib/log/json-lines-log.ts";
import type { Log } from "#lib/log/log.ts";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import { systemClock } from "#lib/runtime/system-clock.ts";
import { makePrivateFolder, removeDevFile, writeDevFile } from "../dev-file.ts";
import { wholeNumber } from "../number-option.ts";
import type { Paint } from "../paint.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly port: number;
  readonly data?: string;
  readonly verbose?: boolean;
  readonly allowHost?: readonly string[];
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
      "let tools reach this host although its address is not public; may be given again",
      collectHosts,
    )
    .option("--verbose", "log what the service does to stderr, not only what goes wrong")
    .option("--json", 'print { "url", "token", "publicKeyFile" } as one JSON document')
    .action(async (options: Options) => {
      let service: EmbeddedService | undefined;
      await runAction(session, options, async () => {
        const dataDir =
          options.data === undefined
            ? join(await makePrivateFolder(session.cwd), "data")
            : resolve(session.cwd, options.data);
        service = await start(session, { ...options, dataDir });
        const { url, token, publicKeyFile } = service;
        await writeDevFile(session.cwd, { url, token, pid: process.pid });
        return {
          json: () => ({ url, token, publicKeyFile }),
          text: (paint) => greeting({ url, token, dataDir, publicKeyFile }, paint),
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

async function start(
  session: Session,
  options: {
    readonly port: number;
    readonly dataDir: string;
    readonly verbose?: boolean;
    readonly allowHost?: readonly string[];
  },
): Promise<EmbeddedService> {
  // The service's modules are of no use to the other commands, and take time to load.
  const { startEmbeddedService } = await import("#infra/local/start-embedded-service.ts");
  const awsEndpointUrl = session.env.AWS_ENDPOINT_URL;
  return startEmbeddedService({
    port: options.port,
    dataDir: options.dataDir,
    version: session.version,
    allowedHosts: options.allowHost ?? [],
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
  running: Pick<EmbeddedService, "url" | "token" | "publicKeyFile"> & { readonly dataDir: string },
  paint: Paint,
): string {
  return [
    `${paint("bold", "Planledger is running.")} Commands started in this directory find it by themselves; elsewhere:\n`,
    "\n",
    `  export PLANLEDGER_URL=${running.url}\n`,
    `  export PLANLEDGER_TOKEN=${running.token}\n`,
    "\n",
    `Ledgers are signed; the public key for \`planledger verify --file\` is ${running.publicKeyFile}\n`,
    `${paint("dim", `Data is kept in ${running.dataDir}. Ctrl-C stops it.`)}\n`,
  ].join("");
}

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
