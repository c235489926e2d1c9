import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Where a virtual environment's programs are. */
export interface PythonEnvironment {
  readonly python: string;
}

/**
 * A Python virtual environment that holds exactly what a requirements file pins, made once and kept below `cacheDir`; another
 * file makes another one. Where packages come from is pip's own configuration. Throws, with what to install, on a machine
 * that cannot make one.
 */
export async function pythonEnvironment(options: {
  readonly requirementsFile: string;
  readonly cacheDir: string;
  readonly log: (line: string) => void;
}): Promise<PythonEnvironment> {
  const { requirementsFile, cacheDir, log } = options;
  const hash = createHash("sha256").update(readFileSync(requirementsFile)).digest("hex").slice(0, 16);
  // Names the finished one. Environments cannot be moved, so each is made where it stays, and several may be made at once.
  const pointer = join(cacheDir, `python-${hash}`);
  const standing = existsSync(pointer) ? readFileSync(pointer, "utf8") : undefined;
  if (standing !== undefined && existsSync(join(standing, "bin", "python"))) return programsOf(standing);
  mkdirSync(cacheDir, { recursive: true });
  const directory = mkdtempSync(join(cacheDir, `python-${hash}-`));
  try {
    log("making a Python virtual environment, once ...");
    await run("python3", ["-m", "venv", directory], lacksPython);
    const { python } = programsOf(directory);
    await run(python, ["-m", "pip", "install", "--quiet", "--requirement", requirementsFile], lacksPackages);
    writeFileSync(`${directory}.name`, directory);
    renameSync(`${directory}.name`, pointer);
    return { python };
  } catch (fault) {
    rmSync(directory, { recursive: true, force: true });
    throw fault;
  }
}

const programsOf = (directory: string): PythonEnvironment => ({ python: join(directory, "bin", "python") });

const lacksPython =
  "A LocalStack-compatible server is started from Python 3.10 or later with its venv module (on Debian: apt-get install python3 python3-venv). " +
  "Install that, or set AWS_ENDPOINT_URL to a server that runs already.";
const lacksPackages =
  "pip could not install what infra/deploy/ministack-requirements.txt pins. See that pip reaches a package index (pip config list), " +
  "or set AWS_ENDPOINT_URL to a server that runs already.";

async function run(command: string, args: readonly string[], remedy: string): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  child.once("error", (fault) => resolve(fault.message));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  child.once("close", async (code) =>
    resolve(code === 0 ? undefined : (await output).join("").trim().slice(-2000) || `it ended with ${code}`),
  );
  const problem = await promise;
  if (problem !== undefined) {
    throw new Error(`${command} ${args.slice(0, 3).join(" ")} failed. ${remedy}\n${problem}`);
  }
}
