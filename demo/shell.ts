import { type ChildProcess, spawn, spawnSync } from "node:child_process";

/** A command of the demo: printed as a reader would type it, its output printed as it comes, kept for the next step. */
export interface Ran {
  readonly exitCode: number;
  readonly stdout: Buffer;
}

const bold = (text: string): string => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text);

export function title(text: string): void {
  process.stdout.write(`\n${bold(`── ${text} `.padEnd(100, "─"))}\n`);
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  /** How the command reads on the screen; absent: it is not shown, nor is its output. */
  readonly shown?: string;
  /** Lines of output to show; the rest is counted. */
  readonly lines?: number;
  /** Which exit code the demo expects; another one ends it. */
  readonly expect?: number;
}

export function run({ command, args, cwd, env, input, shown, lines = 40, expect = 0 }: RunOptions): Ran {
  if (shown !== undefined) say(bold(`$ ${shown}`));
  const done = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    ...(input === undefined ? {} : { input }),
    stdio: ["pipe", "pipe", shown === undefined ? "pipe" : "inherit"],
    maxBuffer: 256 * 1024 * 1024,
  });
  if (shown !== undefined) {
    const text = done.stdout.toString("utf8").replace(/\n$/, "").split("\n");
    say(text.slice(0, lines).join("\n"));
    if (text.length > lines) say(`… ${text.length - lines} more lines`);
  }
  if (done.status !== expect) {
    process.stderr.write(done.stderr?.toString("utf8") ?? "");
    throw new Error(`${shown ?? [command, ...args].join(" ")}: exit code ${done.status}, expected ${expect}`);
  }
  return { exitCode: done.status, stdout: done.stdout };
}

/** A long-running command that begins by printing one JSON document. */
export async function start(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ child: ChildProcess; first: unknown }> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  const first = await new Promise<unknown>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (!text.trimEnd().endsWith("}")) return;
      try {
        resolve(JSON.parse(text));
      } catch (error) {
        reject(error);
      }
    });
    process.once("exit", () => child.kill("SIGTERM"));
    child.on("exit", (code) =>
      reject(new Error(`${command} ${args.join(" ")} ended with exit code ${code}`)),
    );
  });
  return { child, first };
}
