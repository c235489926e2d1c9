import { Readable } from "node:stream";
import { runCommandLine } from "./run-command-line.ts";
import type { Output, Session } from "./session.ts";

export interface RanInProcess {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The one document on stdout; throws when there is none, or more. */
  json(): ReturnType<typeof JSON.parse>;
}

/** Runs command lines in this process, as `main.ts` does, for one service, token and directory. */
export function commandRunner(where: { readonly url: string; readonly token: string; readonly cwd: string }) {
  return async (...args: readonly string[]): Promise<RanInProcess> => {
    const stdout = captured();
    const stderr = captured();
    const session: Session = {
      env: { PLANLEDGER_URL: where.url, PLANLEDGER_TOKEN: where.token },
      cwd: where.cwd,
      stdin: Readable.from([]),
      stdout,
      stderr,
      signal: new AbortController().signal,
      version: "test",
      exitCode: 0,
    };
    await runCommandLine(session, args);
    return {
      exitCode: session.exitCode,
      stdout: stdout.text(),
      stderr: stderr.text(),
      json: () => JSON.parse(stdout.text()),
    };
  };
}

function captured(): Output & { text(): string } {
  const chunks: Buffer[] = [];
  return {
    write: (chunk, done) => {
      chunks.push(Buffer.from(chunk));
      done?.();
      return true;
    },
    text: () => Buffer.concat(chunks).toString(),
  };
}
