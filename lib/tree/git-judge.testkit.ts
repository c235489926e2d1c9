import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FileTree, writeFileTree } from "./file-tree.testkit.ts";

/** What real git makes of a diff on a base: tree ids as `git write-tree` prints them. */
export interface Verdict {
  readonly base: string;
  /** Of the index after `git apply --index`. */
  readonly applied: string;
  /** Of the work tree then, hashed anew. */
  readonly appliedWorkTree: string;
  /** After `git apply -R --index` on the applied. */
  readonly reversed: string;
  /** Of the work tree after a plain `git apply` on the base, and `-R` on that, by a git that has no objects to help itself. */
  readonly appliedPlain: string;
  readonly reversedPlain: string;
}

/**
 * A repository of its own, without filters and without anybody's configuration, in which real git judges trees and diffs. One
 * process for each question; questions are asked one at a time. `close` removes it.
 */
export interface GitJudge {
  treeId(tree: FileTree): Promise<string>;
  judge(base: FileTree, diff: Uint8Array): Promise<Verdict>;
  /** Where the last tree was written to; for tests that go on from there. */
  readonly workTree: string;
  git(args: readonly string[], input?: Uint8Array): Promise<Buffer>;
  close(): Promise<void>;
}

export const gitJudge = async (): Promise<GitJudge> => {
  const home = await mkdtemp(join(tmpdir(), "planledger-git-"));
  const workTree = join(home, "work");
  const patch = join(home, "patch");
  await mkdir(workTree);
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C",
  };
  const run = (command: string, args: readonly string[], input?: Uint8Array): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, { cwd: workTree, env: environment });
      const output: Buffer[] = [];
      const errors: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
      child.on("error", reject);
      child.on("close", (code) => {
        if (code === 0) resolve(Buffer.concat(output));
        else
          reject(
            new Error(`${command} ${args.join(" ")}: exit ${code}: ${Buffer.concat(errors).toString()}`),
          );
      });
      child.stdin.end(input);
    });
  await run("git", ["init", "-q"]);
  await run("git", ["config", "core.autocrlf", "false"]);
  await run("git", ["config", "core.looseCompression", "0"]);

  const writeWorkTree = async (tree: FileTree): Promise<void> => {
    for (const name of await readdir(workTree)) {
      if (name !== ".git") await rm(join(workTree, name), { recursive: true, force: true });
    }
    await rm(join(workTree, ".git", "index"), { force: true });
    await writeFileTree(workTree, tree);
  };
  await mkdir(join(home, "no-objects"));
  const withoutObjects = "GIT_OBJECT_DIRECTORY=../no-objects";
  const hashWorkTree = "rm -f .git/index; git add -A -f .; git write-tree";

  return {
    workTree,
    git: (args, input) => run("git", args, input),
    async treeId(tree) {
      await writeWorkTree(tree);
      return (await run("sh", ["-ec", hashWorkTree])).toString().trim();
    },
    async judge(base, diff) {
      await writeWorkTree(base);
      await writeFile(patch, diff);
      // An empty diff is fine to us; `git apply` calls it an error.
      const apply = diff.byteLength === 0 ? "true" : "git apply --whitespace=nowarn";
      const script = [
        hashWorkTree,
        `${apply} --index ../patch; git write-tree`,
        hashWorkTree,
        `${apply} -R --index ../patch; git write-tree`,
        // Where it knows the wanted blob, git does not look at a binary patch's body.
        `${withoutObjects} ${apply} ../patch; ${hashWorkTree}`,
        `${withoutObjects} ${apply} -R ../patch; ${hashWorkTree}`,
      ].join("\n");
      const ids = (await run("sh", ["-ec", script])).toString().split("\n");
      const [baseId = "", applied = "", appliedWorkTree = "", reversed = ""] = ids;
      const [appliedPlain = "", reversedPlain = ""] = ids.slice(4);
      return { base: baseId, applied, appliedWorkTree, reversed, appliedPlain, reversedPlain };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
};
