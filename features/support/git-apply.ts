import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { shownBytes } from "./files.ts";
import type { Files } from "./plan-driver.ts";

const run = promisify(execFile);

/** Lets real git apply a diff to the files before, and holds what it makes of them to the files after. */
export async function assertGitAgrees(judged: {
  readonly base: Files;
  readonly diff: Uint8Array;
  readonly result: Files;
}): Promise<void> {
  assert.ok(judged.diff.byteLength > 0, "the diff is empty");
  const root = await mkdtemp(join(tmpdir(), "planledger-git-"));
  try {
    const tree = join(root, "tree");
    await mkdir(tree);
    await run("git", ["init", "--quiet"], { cwd: tree });
    for (const [path, bytes] of judged.base) {
      await mkdir(dirname(join(tree, path)), { recursive: true });
      await writeFile(join(tree, path), bytes);
    }
    const patch = join(root, "change.diff");
    await writeFile(patch, judged.diff);
    await run("git", ["-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", patch], { cwd: tree });
    assert.deepEqual(await filesBelow(tree), shown(judged.result));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function shown(files: Files): Readonly<Record<string, string>> {
  return Object.fromEntries([...files].map(([path, bytes]) => [path, shownBytes(bytes)]).sort());
}

async function filesBelow(root: string): Promise<Readonly<Record<string, string>>> {
  const files = new Map<string, Uint8Array>();
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = relative(root, join(entry.parentPath, entry.name));
    if (entry.isFile() && !path.startsWith(".git/")) {
      files.set(path, await readFile(join(root, path)));
    }
  }
  return shown(files);
}
