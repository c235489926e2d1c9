import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "../..");

/**
 * Runs the CDK's command line in this checkout. Its output is this process's standard error unless it is to be quiet: then it
 * stands in the error that is thrown when the command fails.
 */
export async function runCdk(
  args: readonly string[],
  options: { readonly environment: NodeJS.ProcessEnv; readonly quiet?: boolean },
): Promise<void> {
  const isQuiet = options.quiet === true;
  const child = spawn(process.execPath, [join(root, "node_modules", "aws-cdk", "bin", "cdk"), ...args], {
    cwd: root,
    env: options.environment,
    stdio: isQuiet ? ["ignore", "pipe", "pipe"] : ["inherit", 2, 2],
  });
  const output = Promise.all([child.stdout, child.stderr].map((one) => (one === null ? "" : text(one))));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject).once("close", resolve);
  const code = await promise;
  if (code === 0) return;
  const said = (await output).join("").trim();
  throw new Error(`cdk ${args[0]} ended with ${code}.${said === "" ? "" : `\n${said}`}`);
}
