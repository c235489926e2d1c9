import { spawn } from "node:child_process";
import { join } from "node:path";

export interface Ran {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly bytes: Buffer;
  readonly stderr: string;
  /** The one document on stdout; throws when there is none, or more. */
  json(): ReturnType<typeof JSON.parse>;
}

const launcher = join(import.meta.dirname, "..", "bin", "planledger.js");

/** Runs the real command in a process of its own. */
export function planledger(
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: string;
    /** Ctrl-C as soon as this resolves. */
    readonly interruptAfter?: Promise<unknown>;
  },
): Promise<Ran> {
  const { PLANLEDGER_URL: _, PLANLEDGER_TOKEN: __, ...inherited } = process.env;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [launcher, ...args], {
      cwd: options.cwd,
      env: { ...inherited, ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", reject);
    child.on("close", (exitCode) => {
      const bytes = Buffer.concat(stdout);
      resolve({
        exitCode,
        bytes,
        stdout: bytes.toString(),
        stderr: Buffer.concat(stderr).toString(),
        json: () => JSON.parse(bytes.toString()),
      });
    });
    options.interruptAfter?.then(() => child.kill("SIGINT"), reject);
    child.stdin.on("error", () => undefined);
    child.stdin.end(options.input ?? "");
  });
}
