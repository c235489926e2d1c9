import { readFileSync } from "node:fs";
import { runCommandLine } from "./run-command-line.ts";
import type { Session } from "./session.ts";

/** The package's own version, from a checkout (`cli/`) as from the built package (`dist/cli/`). */
function packageVersion(): string {
  for (const place of ["../package.json", "../../package.json"]) {
    try {
      const found: unknown = JSON.parse(readFileSync(new URL(place, import.meta.url), "utf8"));
      if (typeof found === "object" && found !== null && "version" in found) return String(found.version);
    } catch (fault) {
      if (!(fault instanceof Error) || !("code" in fault) || fault.code !== "ENOENT") throw fault;
    }
  }
  return "unknown";
}

const interrupt = new AbortController();
let interruptedAt: number | undefined;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    // A terminal, npx and the launcher may each pass on the same Ctrl-C; a later one is meant.
    if (interruptedAt !== undefined && Date.now() - interruptedAt > 1000) process.exit(1);
    interruptedAt ??= Date.now();
    interrupt.abort(Object.assign(new Error(`stopped by ${signal}`), { code: signal }));
  });
}

process.stdout.on("error", (fault: NodeJS.ErrnoException) => {
  // `planledger plan diff ID | head`: the reader has seen enough.
  if (fault.code === "EPIPE") process.exit(0);
  process.stderr.write(`error: cannot write to stdout: ${fault.message}\n`);
  process.exit(1);
});

const session: Session = {
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupt.signal,
  version: packageVersion(),
  exitCode: 0,
};
await runCommandLine(session, process.argv.slice(2));
process.exitCode = session.exitCode;
