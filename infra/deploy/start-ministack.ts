import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pythonEnvironment } from "./python-environment.ts";

/** A LocalStack-compatible server of our own. */
export interface LocalServer {
  readonly endpointUrl: string;
  /** Its log, for whoever looks into a failure; gone with the server. */
  readonly logFile: string;
  /** Ends it with everything that it started, and removes its files. */
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "../..");
const readyWithinMs = 120_000;
const goneWithinMs = 5_000;
const pollIntervalMs = 20;
const portAttempts = 5;

/**
 * Runs its arguments in this process group, and kills the group when the command ends or when standard input does, which the
 * kernel closes with the process that holds the other end: so nothing outlives that, however it ends. The server leaves
 * its functions' processes behind when it is ended alone.
 */
const guardScript = `
exec 3<&0 </dev/null
log=$1
shift
"$@" 3<&- >"$log" 2>&1 &
server=$!
{ read -r end <&3; kill -9 0; } &
exec 3<&-
wait "$server"
echo "the server ended with $?" >>"$log"
kill -9 0
`;

/**
 * Starts MiniStack (from a virtual environment that is made at the first start) on the loopback interface, at a free port
 * unless one is given. It answers when this returns. Functions run on this Node, which is the first on its path; it gets
 * no variable of this process beside that, since its functions see what it sees.
 */
export async function startMinistack(options: {
  readonly port?: number | undefined;
  readonly log: (line: string) => void;
}): Promise<LocalServer> {
  const { python } = await pythonEnvironment({
    requirementsFile: join(import.meta.dirname, "ministack-requirements.txt"),
    cacheDir: join(root, "node_modules", ".cache", "planledger"),
    log: options.log,
  });
  options.log("starting MiniStack ...");
  for (let attempt = 1; ; attempt++) {
    const started = await tryStart(python, options.port ?? (await freePort()));
    if (typeof started !== "string") return started;
    const isTaken = started.includes("already in use") && options.port === undefined;
    if (!isTaken || attempt === portAttempts) throw new Error(`MiniStack did not start: ${started}`);
  }
}

const program = "from ministack.app import main; main()";

/** The running server, or why it ended. */
async function tryStart(python: string, port: number): Promise<LocalServer | string> {
  const directory = mkdtempSync(join(tmpdir(), "planledger-ministack-"));
  const logFile = join(directory, "server.log");
  const command = ["-c", guardScript, "ministack", logFile, python, "-c", program];
  const guard = spawn("/bin/sh", command, {
    cwd: directory,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env: serverEnvironment(directory, port),
  });
  const ended = new Promise<void>((resolve) => {
    guard.once("exit", () => resolve());
    guard.once("error", () => resolve());
  });
  const stop = async () => {
    guard.ref();
    guard.stdin.destroy();
    await ended;
    await groupEnded(guard.pid);
    rmSync(directory, { recursive: true, force: true });
  };
  const endpointUrl = `http://127.0.0.1:${port}`;
  const starting = new AbortController();
  const limit = AbortSignal.any([starting.signal, AbortSignal.timeout(readyWithinMs)]);
  const isReady = await Promise.race([ended.then(() => false), answers(endpointUrl, { logFile, limit })]);
  starting.abort();
  if (isReady) {
    guard.unref();
    if ("unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
    return { endpointUrl, logFile, stop };
  }
  const said = logOf(logFile).slice(-2000);
  await stop();
  return said;
}

function serverEnvironment(directory: string, port: number): NodeJS.ProcessEnv {
  return {
    PATH: [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter),
    HOME: directory,
    TMPDIR: directory,
    S3_DATA_DIR: join(directory, "s3"),
    BIND_HOST: "127.0.0.1",
    MINISTACK_HOST: "127.0.0.1",
    GATEWAY_PORT: String(port),
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    // These two would listen on ports of their own.
    IOT_MTLS_ENABLED: "0",
    SFTP_ENABLED: "0",
  };
}

/** Whether it came to answer before the limit. Only its own word proves that it is the one that got the port. */
async function answers(
  endpointUrl: string,
  { logFile, limit }: { readonly logFile: string; readonly limit: AbortSignal },
): Promise<boolean> {
  while (!limit.aborted) {
    try {
      if (logOf(logFile).includes(`Running on ${endpointUrl}`)) {
        const response = await fetch(`${endpointUrl}/_localstack/health`, { signal: limit });
        await response.arrayBuffer();
        if (response.ok) return true;
      }
    } catch {
      // Not yet.
    }
    await delay(pollIntervalMs);
  }
  return false;
}

const logOf = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/**
 * All of the group were killed with the guard, and take a moment to go. What is still there after the limit has ended too, and
 * waits for an init that does not collect it.
 */
async function groupEnded(pid: number | undefined): Promise<void> {
  const limit = AbortSignal.timeout(goneWithinMs);
  while (pid !== undefined && groupLives(pid) && !limit.aborted) await delay(pollIntervalMs);
}

function groupLives(pid: number): boolean {
  try {
    return process.kill(-pid, 0);
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer().once("error", reject);
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address();
    probe.close(() => {
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new Error("A TCP server has no port."));
    });
  });
  return promise;
}
