import { resolve } from "node:path";
import type { Command } from "commander";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import type { TreeStore } from "#lib/tree/tree-store.ts";
import { walkTree } from "#lib/tree/walk-tree.ts";
import { connect } from "../connect.ts";
import { commitToBranch } from "../files/git-branch.ts";
import { isVacant, type WrittenFile, writeTree } from "../files/write-tree.ts";
import { counted } from "../render/counted.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly to?: string;
  readonly branch?: string;
  readonly force?: boolean;
}

export function addProjectExport(project: Command, session: Session): void {
  project
    .command("export")
    .description("write a project's latest revision to a directory or a git branch")
    .argument("<id>", "namespace/name")
    .option("--to <dir>", "write its files below this directory")
    .option("--branch <name>", "commit its tree to this branch of the repository here, without a checkout")
    .option("--force", "write into a directory that is not empty; move a branch that exists")
    .option("--json", "print what was written as one JSON document")
    .action((id: string, options: Options) =>
      runAction(session, options, async () => {
        if ((options.to === undefined) === (options.branch === undefined)) {
          throw new UsageError("say where to: --to DIR or --branch NAME");
        }
        const overwrite = options.force === true;
        const directory = options.to === undefined ? undefined : resolve(session.cwd, options.to);
        if (directory !== undefined && !overwrite && !(await isVacant(directory))) {
          throw new UsageError(
            `${options.to} is not empty; use --force to write into it, or another directory`,
          );
        }
        const client = await connect(session);
        const { revision, tree, gitTreeId } = await client.projects.get(id, session.signal);
        const files = await treeFiles({ client, signal: session.signal }, tree);
        const exported = { id, revision, tree, gitTreeId, fileCount: files.length };
        const { branch = "" } = options;
        if (directory !== undefined) {
          await writeTree(directory, { files, overwrite });
          return {
            json: () => ({ ...exported, to: directory }),
            text: () =>
              `${id} revision ${revision}: ${counted(files.length, "file")} written to ${options.to}\n`,
          };
        }
        const message = `Export ${id}, revision ${revision}\n`;
        const made = await commitToBranch(session.cwd, { branch, message, files, overwrite });
        if (made.tree !== gitTreeId) {
          throw new Error(
            `the branch's tree is ${made.tree}, the project's ${gitTreeId}; do not use the branch`,
          );
        }
        return {
          json: () => ({ ...exported, branch: made.branch, commit: made.commit }),
          text: () =>
            `${id} revision ${revision}: ${counted(files.length, "file")} on branch ${branch}, ${made.commit}\n`,
        };
      }),
    );
}

/** Every file of a tree, to be read from the service when it is its turn. */
async function treeFiles(
  { client, signal }: { readonly client: PlanledgerClient; readonly signal: AbortSignal },
  root: string,
): Promise<readonly WrittenFile[]> {
  const trees: TreeStore = {
    get: (sha256) => client.content.directory(sha256, signal),
    put: () => Promise.reject(new Error("an export writes no directory")),
    missing: async () => [],
  };
  const files: WrittenFile[] = [];
  for await (const { path, file } of walkTree(trees, root)) {
    files.push({ path, mode: file.mode, read: () => client.content.get(file.sha256, signal) });
  }
  return files;
}
