#!/usr/bin/env node
// Starts the command with a Node that can run it, whatever Node and npm started this file. Plain JavaScript that old
// versions can parse: in the package it runs dist/cli/main.js, in a checkout cli/main.ts as it is.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, "cli", "main.ts");
const main = existsSync(source) ? source : join(root, "dist", "cli", "main.js");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 18)) {
  // Half of the time to the first line is compiling, the same at every start.
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  await import(pathToFileURL(main).href);
} else {
  const local = join(root, "node_modules", ".bin", "node");
  if (!existsSync(local)) {
    process.stderr.write(
      `planledger needs Node 22.18 or newer; this is ${process.versions.node} (${process.execPath}).\n` +
        (main === source
          ? "Run `npm ci` in the checkout, which installs one, or use a newer Node.\n"
          : "Install a newer Node (https://nodejs.org) and run the command again.\n"),
    );
    process.exit(1);
  }
  const child = spawn(local, [main, ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends these to the whole group, a supervisor to this process alone: the child decides how to end.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("error", (fault) => {
    process.stderr.write(`planledger: cannot start ${local}: ${fault.message}\n`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
