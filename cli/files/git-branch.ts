import type { FileMode } from "#lib/tree/file-state.ts";
import { UsageError } from "../usage-error.ts";
import { type GitResult, runGit } from "./run-git.ts";
import type { WrittenFile } from "./write-tree.ts";

export interface BranchCommit {
  readonly branch: string;
  readonly commit: string;
  /** Git's id of the commit's tree. */
  readonly tree: string;
}

/**
 * Makes a branch whose one new commit holds exactly these files, on top of what HEAD is, without touching work tree or index.
 * A branch that is there is refused, or moved with `overwrite` unless it is checked out somewhere.
 */
export async function commitToBranch(
  directory: string,
  options: {
    readonly branch: string;
    readonly message: string;
    readonly files: readonly WrittenFile[];
    readonly overwrite: boolean;
  },
): Promise<BranchCommit> {
  const git = async (args: readonly string[]) => {
    const result = await runGit(directory, args);
    if (result === undefined) throw new UsageError("--branch needs git, and there is none on the PATH");
    return result;
  };
  const inside = await git(["rev-parse", "--git-dir"]);
  if (inside.exitCode !== 0)
    throw new UsageError(`${directory} is in no git repository; use --to DIR instead`);

  const { branch } = options;
  const ref = `refs/heads/${branch}`;
  if ((await git(["check-ref-format", "--branch", branch])).exitCode !== 0) {
    throw new UsageError(`${JSON.stringify(branch)} is not a valid name of a branch`);
  }
  const standing = await git(["rev-parse", "--verify", "--quiet", ref]);
  if (standing.exitCode === 0) {
    if (!options.overwrite) throw new UsageError(`the branch ${branch} exists; use --force to move it`);
    const worktrees = await git(["worktree", "list", "--porcelain"]);
    if (worktrees.stdout.toString().split("\n").includes(`branch ${ref}`)) {
      throw new UsageError(`the branch ${branch} is checked out; choose another name`);
    }
  }
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const identity = await git(["var", "GIT_COMMITTER_IDENT"]);
  const committer =
    identity.exitCode === 0
      ? identity.stdout.toString().trim()
      : `Planledger <planledger@localhost> ${Math.floor(Date.now() / 1000)} +0000`;
  const imported = await runGit(
    directory,
    ["fast-import", "--quiet", "--date-format=raw", ...(options.overwrite ? ["--force"] : [])],
    importStream({
      ref,
      committer,
      message: options.message,
      parent: head.exitCode === 0 ? text(head) : undefined,
      files: options.files,
    }),
  );
  if (imported === undefined || imported.exitCode !== 0) {
    throw new UsageError(`git fast-import failed: ${imported?.stderr ?? "there is no git"}`);
  }
  return {
    branch,
    commit: text(await git(["rev-parse", ref])),
    tree: text(await git(["rev-parse", `${ref}^{tree}`])),
  };
}

const text = (result: GitResult): string => result.stdout.toString().trim();

async function* importStream(commit: {
  readonly ref: string;
  readonly committer: string;
  readonly message: string;
  readonly parent: string | undefined;
  readonly files: readonly WrittenFile[];
}): AsyncGenerator<string | Uint8Array> {
  let mark = 0;
  const marked: { readonly path: string; readonly mode: FileMode; readonly mark: number }[] = [];
  for (const { path, mode, read } of commit.files) {
    const bytes = await read();
    mark += 1;
    marked.push({ path, mode, mark });
    yield `blob\nmark :${mark}\ndata ${bytes.byteLength}\n`;
    yield bytes;
    yield "\n";
  }
  const message = Buffer.from(commit.message);
  yield `commit ${commit.ref}\ncommitter ${commit.committer}\ndata ${message.byteLength}\n`;
  yield message;
  yield `\n${commit.parent === undefined ? "" : `from ${commit.parent}\n`}deleteall\n`;
  for (const file of marked) yield `M ${file.mode} :${file.mark} ${quoted(file.path)}\n`;
  yield "\n";
}

/** A path in fast-import's C style, so that quotes, newlines and spaces are no trouble. */
const quoted = (path: string): string =>
  `"${path.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`))}"`;
