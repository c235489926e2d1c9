import type { Readable } from "node:stream";

/** A stream to print to, as much of it as the commands use. */
export interface Output {
  write(chunk: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What a command knows of the machine: only `main.ts` reads the process itself. */
export interface Session {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by the first interrupt. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** The exit code so far; the last action sets it. */
  exitCode: 0 | 1 | 2;
}
