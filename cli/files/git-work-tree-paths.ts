import { UsageError } from "../usage-error.ts";
import { runGit } from "./run-git.ts";
import { utf8Path } from "./utf8-path.ts";

/**
 * Tracked files and untracked ones that are not ignored, below a directory of a git work tree, relative to it; deleted ones
 * may be among them. `undefined` when it is in no work tree, or there is no git.
 */
export async function gitWorkTreePaths(root: string): Promise<readonly string[] | undefined> {
  const inside = await runGit(root, ["rev-parse", "--is-inside-work-tree"]);
  if (inside === undefined || inside.exitCode !== 0) {
    if (inside !== undefined && /dubious ownership/.test(inside.stderr)) {
      throw new UsageError(`git refuses to read ${root}: ${inside.stderr}`);
    }
    return undefined;
  }
  if (inside.stdout.toString().trim() !== "true") return undefined;

  const staged = await listed(root, ["-s"]);
  const submodule = staged.find((line) => line.startsWith("160000 "));
  if (submodule !== undefined) {
    throw new UsageError(
      `${JSON.stringify(submodule.slice(submodule.indexOf("\t") + 1))} is a git submodule, which a project's tree cannot hold; take a directory without it, or add its files to this repository`,
    );
  }
  const paths = await listed(root, ["-co", "--exclude-standard"]);
  const nested = paths.find((path) => path.endsWith("/"));
  if (nested !== undefined) {
    throw new UsageError(
      `${JSON.stringify(nested)} is a git repository of its own; ignore it (.gitignore) or move it elsewhere`,
    );
  }
  // A path in conflict is listed once for each side.
  return [...new Set(paths)];
}

async function listed(root: string, options: readonly string[]): Promise<readonly string[]> {
  const result = await runGit(root, ["ls-files", ...options, "-z"]);
  if (result === undefined || result.exitCode !== 0) {
    throw new UsageError(`git ls-files failed in ${root}: ${result?.stderr ?? "there is no git"}`);
  }
  return splitByNul(result.stdout).map(utf8Path);
}

function splitByNul(bytes: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    parts.push(bytes.subarray(start, end === -1 ? bytes.length : end));
    start = end === -1 ? bytes.length : end + 1;
  }
  return parts;
}
