import { spawn } from "node:child_process";

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git and waits for it; `undefined` when there is no git. `input` is written to its stdin chunk by chunk. */
export function runGit(
  directory: string,
  args: readonly string[],
  input?: AsyncIterable<string | Uint8Array>,
): Promise<GitResult | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", ["-C", directory, ...args], {
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on("data", (chunk: Buffer) => stderr.push(chunk));
    child.on("error", (fault: NodeJS.ErrnoException) => {
      if (fault.code === "ENOENT") resolve(undefined);
      else reject(fault);
    });
    child.on("close", (code) => {
      resolve({
        exitCode: code ?? 1,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString().trim(),
      });
    });
    if (input !== undefined && child.stdin !== null) {
      feed(child.stdin, input).catch((fault: unknown) => {
        child.kill();
        reject(fault);
      });
    }
  });
}

async function feed(stdin: NodeJS.WritableStream, input: AsyncIterable<string | Uint8Array>): Promise<void> {
  // A git that stops early says why on stderr; the broken pipe itself says nothing.
  stdin.on("error", () => undefined);
  for await (const chunk of input) {
    if (!stdin.write(chunk)) {
      await new Promise<void>((resolve) => {
        stdin.once("drain", resolve);
        stdin.once("close", resolve);
      });
    }
  }
  stdin.end();
}
