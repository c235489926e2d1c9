import { UsageError } from "../usage-error.ts";
import { runGit } from "./run-git.ts";

/** Bytes of paths on one command line; systems allow 128 KiB and more. */
const argumentBytes = 60_000;

/**
 * Of these paths below a directory, those whose content git does not hold: edited, staged, or never added. None where the
 * directory is in no work tree, or there is no git. What git ignores is not its business.
 */
export async function uncommittedPaths(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const prefix = await runGit(root, ["rev-parse", "--show-prefix"]);
  if (prefix === undefined || prefix.exitCode !== 0) {
    if (prefix !== undefined && /dubious ownership/.test(prefix.stderr)) {
      throw new UsageError(`git refuses to read ${root}: ${prefix.stderr}`);
    }
    return [];
  }
  const above = prefix.stdout.toString().replace(/\n$/, "");
  const wanted = new Set(paths);
  const uncommitted: string[] = [];
  for (const batch of batches(paths)) {
    const status = await runGit(root, [
      "--no-optional-locks",
      "--literal-pathspecs",
      "status",
      "--porcelain",
      "-z",
      "--no-renames",
      "--untracked-files=all",
      "--",
      ...batch,
    ]);
    if (status === undefined || status.exitCode !== 0) {
      throw new UsageError(`git status failed in ${root}: ${status?.stderr ?? "there is no git"}`);
    }
    for (const record of status.stdout.toString().split("\0")) {
      // `XY path`, the path from the top of the work tree.
      const path = record.slice(3);
      if (path.startsWith(above) && wanted.has(path.slice(above.length))) {
        uncommitted.push(path.slice(above.length));
      }
    }
  }
  return uncommitted;
}

function* batches(paths: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    batch.push(path);
    bytes += Buffer.byteLength(path) + 1;
    if (bytes < argumentBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
