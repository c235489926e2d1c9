import { basename, resolve } from "node:path";
import type { Command } from "commander";
import { ConflictError, NotFoundError } from "#lib/errors/planledger-error.ts";
import { connect } from "../connect.ts";
import { counted } from "../render/counted.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { uploadDirectory } from "../upload-directory.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly id?: string;
}

export function addProjectImport(project: Command, session: Session): void {
  project
    .command("import")
    .description("make a directory the next revision of a project")
    .argument("<dir>", "in a git work tree: its tracked files and those untracked that are not ignored")
    .option("--id <namespace/name>", "the project; local/ and the directory's name without it")
    .option("--json", "print the project as one JSON document")
    .action((dir: string, options: Options) =>
      runAction(session, options, async () => {
        const directory = resolve(session.cwd, dir);
        const id = options.id ?? defaultId(directory);
        const client = await connect(session);
        const { signal } = session;
        const standing = await client.projects.get(id, signal).catch((fault: unknown) => {
          if (fault instanceof NotFoundError) return undefined;
          throw fault;
        });
        const { tree, fileCount } = await uploadDirectory({ session, client }, dir);
        const settings =
          standing === undefined ? {} : { settings: standing.settings, version: standing.version };
        const expected = standing === undefined ? {} : { expectedRevision: standing.revision };
        const imported = await client.projects
          .put(id, { tree, ...settings, ...expected }, signal)
          .catch((fault: unknown) => {
            if (!(fault instanceof ConflictError)) throw fault;
            throw new ConflictError({
              code: fault.code,
              message: `${id} was changed by somebody else meanwhile: ${fault.message} Run the command again to import on top of that.`,
              details: fault.details,
              cause: fault,
            });
          });
        const unchanged = standing?.tree === imported.tree && standing.revision === imported.revision;
        return {
          json: () => ({ ...imported, fileCount, unchanged }),
          text: (paint) =>
            `${paint("bold", imported.id)}  revision ${imported.revision}${unchanged ? " (no changes)" : ""}  ${counted(fileCount, "file")}  ${paint("dim", `tree ${imported.gitTreeId}`)}\n`,
        };
      }),
    );
}

function defaultId(directory: string): string {
  const name = basename(directory);
  if (/^[\p{L}\p{M}\p{N}._-]{1,64}$/u.test(name)) return `local/${name.normalize("NFC")}`;
  throw new UsageError(
    `the directory's name ${JSON.stringify(name)} is not a project's; give --id namespace/name`,
  );
}
