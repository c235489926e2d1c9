import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InfrastructureError, PlanledgerError } from "#lib/errors/planledger-error.ts";
import { startDynalite } from "./dynalite-emulator.ts";

/** A running DynamoDB endpoint. `pid` is absent where it runs in this process. */
export interface DynamodbEmulator {
  readonly endpoint: string;
  readonly pid?: number;
  stop(): Promise<void>;
}

/**
 * Runs its arguments as a child, says the child's process id, and kills the child at the end of its own standard input,
 * which the kernel closes with the process that holds the other end. `read` is the shell's own, so that no third process
 * is there to be left behind; every acknowledged write is committed, so a hard kill loses nothing.
 */
const guardScript = `
exec 3<&0 </dev/null
"$@" 3<&- >&2 &
child=$!
echo "$child"
exec >/dev/null
{ read -r end <&3; kill -9 "$child" 2>/dev/null; } &
watch=$!
exec 3<&-
wait "$child"
code=$?
kill -9 "$watch" 2>/dev/null
wait "$watch" 2>/dev/null
exit "$code"
`;

const attempts = 8;
const readyWithinMs = 15_000;

/**
 * Starts DynamoDB on a free port: dynoxide where its package for this platform is installed, else dynalite. It is ready
 * when this returns, and ends with this process, however that ends. With `databaseFile` it keeps everything there.
 */
export async function startDynamodb(options: { readonly databaseFile?: string }): Promise<DynamodbEmulator> {
  const binary = dynoxideBinary();
  if (binary === undefined) return startDynalite(options);
  let last = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const started = await tryStart(binary, await freePort(), options.databaseFile);
    if (typeof started !== "string") return started;
    last = started;
    // Only a port that somebody took in between is worth another try.
    if (!last.includes("already in use")) break;
  }
  throw new InfrastructureError({ message: `The DynamoDB emulator ${binary} did not start: ${last}` });
}

function dynoxideBinary(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `@dynoxide/${process.platform}-${process.arch}/package.json`,
    );
    return join(dirname(manifest), process.platform === "win32" ? "dynoxide.exe" : "dynoxide");
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer().once("error", reject);
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address();
    probe.close(() => {
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new PlanledgerError({ code: "internal", message: "A TCP server has no port." }));
    });
  });
  return promise;
}

/** The running emulator, or why it ended. */
async function tryStart(
  binary: string,
  port: number,
  databaseFile: string | undefined,
): Promise<DynamodbEmulator | string> {
  const serve = ["serve", "--host", "127.0.0.1", "--port", String(port)];
  const file = databaseFile === undefined ? [] : ["--db-path", databaseFile];
  // In a group of its own, so that a Ctrl-C in the terminal lets this process stop in order first.
  const guard = spawn("/bin/sh", ["-c", guardScript, "dynamodb-emulator", binary, ...serve, ...file], {
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const output = keptOutput(guard);
  const ended = new Promise<string>((resolve) => {
    guard.once("error", (fault) => resolve(fault.message));
    guard.once("exit", (code) => resolve(`it ended with code ${code}: ${output.errors()}`));
  });
  const stop = async () => {
    // Or the program would end before this wait does.
    guard.ref();
    guard.stdin.destroy();
    await ended;
  };
  const started = AbortSignal.timeout(readyWithinMs);
  const outcome = await Promise.race([
    ended,
    output.listening.then(() => "listening" as const),
    new Promise<string>((resolve) => {
      started.addEventListener("abort", () => resolve(`it was not ready in ${readyWithinMs} ms`), {
        once: true,
      });
    }),
  ]);
  if (outcome !== "listening") {
    await stop();
    return outcome;
  }
  const endpoint = `http://127.0.0.1:${port}`;
  await answers(endpoint, started);
  guard.unref();
  for (const stream of [guard.stdin, guard.stdout, guard.stderr]) {
    if ("unref" in stream && typeof stream.unref === "function") stream.unref();
  }
  const pid = Number.parseInt(output.text(), 10);
  return { endpoint, ...(Number.isNaN(pid) ? {} : { pid }), stop };
}

/** What the child says about itself; only its own "listening" proves that it is the one that got the port. */
function keptOutput(guard: ChildProcess) {
  let text = "";
  let errors = "";
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  guard.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  guard.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    errors = (errors + chunk).slice(-4000);
    if (errors.includes("listening on")) resolve();
  });
  return { listening, text: () => text.trim(), errors: () => errors.trim() };
}

async function answers(endpoint: string, limit: AbortSignal): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(endpoint, { signal: limit });
      await response.arrayBuffer();
      return;
    } catch (cause) {
      if (limit.aborted) {
        throw new InfrastructureError({ message: `The DynamoDB emulator at ${endpoint} is silent.`, cause });
      }
      await delay(5);
    }
  }
}
