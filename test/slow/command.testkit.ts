import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";

/** Makes the command take its stderr for a terminal, so that it draws its progress bar. */
const asTerminal = ["--import", "data:text/javascript,process.stderr.isTTY=true;process.stderr.columns=80"];
const launcher = join(import.meta.dirname, "..", "..", "bin", "planledger.js");

export interface EndedCommand {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real `planledger` command, in a process of its own. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly ended: Promise<EndedCommand>;
}

export function startCommand(
  args: readonly string[],
  how: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    /** Of V8's old space, where whatever is held ends up. */
    readonly heapMiB?: number;
    readonly terminal?: boolean;
  },
): RunningCommand {
  const heap = how.heapMiB === undefined ? [] : [`--max-old-space-size=${how.heapMiB}`];
  const terminal = how.terminal === true ? asTerminal : [];
  const child = spawn(process.execPath, [...heap, ...terminal, launcher, ...args], {
    cwd: how.cwd,
    env: { ...process.env, ...how.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => {
    texts.stdout += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    texts.stderr += chunk;
  });
  const ended = new Promise<EndedCommand>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, ...texts }));
  });
  return { child, ended };
}
