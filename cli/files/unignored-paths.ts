import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { UsageError } from "../usage-error.ts";
import { utf8Path } from "./utf8-path.ts";

interface Rules {
  /** The directory that the `.gitignore` stands in: `""`, or a path with a slash at its end. */
  readonly base: string;
  readonly rules: Ignore;
}

/**
 * All files and links below a directory that no `.gitignore` file excludes, nested ones included: the rules of a deeper file
 * come after those above it, and nothing below an excluded directory comes back, as in git.
 */
export async function unignoredPaths(root: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const open: { readonly base: string; readonly above: readonly Rules[] }[] = [{ base: "", above: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { base, above } = next;
    const entries = await readdir(join(root, base), { withFileTypes: true, encoding: "buffer" });
    const own = entries.some((entry) => entry.isFile() && entry.name.toString() === ".gitignore")
      ? await readFile(join(root, base, ".gitignore"), "utf8")
      : undefined;
    const rules =
      own === undefined ? above : [...above, { base, rules: ignore({ ignorecase: false }).add(own) }];
    if (base !== "" && entries.some((entry) => entry.name.toString() === ".git")) {
      throw new UsageError(
        `${JSON.stringify(base)} is a git repository of its own; ignore it (.gitignore) or move it elsewhere`,
      );
    }
    for (const entry of entries) {
      const name = utf8Path(entry.name);
      if (name === ".git" || name === ".planledger") continue;
      const path = `${base}${name}`;
      if (isIgnored(rules, entry.isDirectory() ? `${path}/` : path)) continue;
      if (entry.isDirectory()) open.push({ base: `${path}/`, above: rules });
      else paths.push(path);
    }
  }
  return paths;
}

/** The deepest file that says something decides. */
function isIgnored(rules: readonly Rules[], path: string): boolean {
  for (const { base, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(path.slice(base.length));
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
