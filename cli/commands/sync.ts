import { lstat, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { Argument, type Command, Option } from "commander";
import { type ConflictPolicy, conflictPolicies } from "#lib/sync/conflict-policy.ts";
import { type SyncDirection, syncDirections } from "#lib/sync/sync-direction.ts";
import { syncResultJson } from "#lib/sync/sync-result.ts";
import { SyncScope } from "#lib/sync/sync-scope.ts";
import { clientOf, serviceAddress } from "../connect.ts";
import { wholeNumber } from "../number-option.ts";
import { renderSyncResult } from "../render/sync-result.ts";
import { runAction } from "../run-action.ts";
import { scopeOption } from "../scope-option.ts";
import type { Session } from "../session.ts";
import { syncDirectory } from "../sync/sync-directory.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly scope?: SyncScope;
  readonly policy: ConflictPolicy;
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly maxDelete?: number;
  readonly force?: boolean;
  readonly dir: string;
}

/** Gives back the command, for what stands below it. */
export function addSyncCommand(program: Command, session: Session): Command {
  return (
    program
      .command("sync")
      // Options behind the name of a command below are that command's.
      .enablePositionalOptions()
      .description("keep the actions, skills, tools and projects of a directory in step with the service")
      .addArgument(
        new Argument("[direction]", "push: files to the service; pull: the other way; both")
          .choices(syncDirections)
          .default("push" satisfies SyncDirection),
      )
      .option(
        "--scope <kinds>",
        "of actions, skills, tools and projects those named, with commas between",
        scopeOption,
      )
      .addOption(
        new Option("--policy <policy>", "what wins where both sides changed; manual: neither, it is reported")
          .choices(conflictPolicies)
          .default("manual" satisfies ConflictPolicy),
      )
      .option("--dry-run", "say what would happen and change nothing, here or there")
      .option("--prune", "carry out deletions; without it nothing is deleted anywhere")
      .option(
        "--max-delete <n>",
        "stop before anything changes when more items than this would be deleted",
        wholeNumber({ minimum: 0, maximum: 1_000_000_000 }),
      )
      .option("--force", "take content that changed under an older version")
      .option("--dir <dir>", "the directory that holds actions/, skills/, tools/ and projects/", ".")
      .option("--json", "print the summary as one JSON document")
      .action((direction: SyncDirection, options: Options) =>
        runAction(session, options, async () => {
          const root = await realDirectory(resolve(session.cwd, options.dir), options.dir);
          const address = await serviceAddress(session);
          const { maxDelete } = options;
          const result = await syncDirectory(
            { session, client: clientOf(session, address) },
            {
              ...{ root, direction, url: address.url },
              scope: options.scope ?? new SyncScope(),
              conflictPolicy: options.policy,
              dryRun: options.dryRun === true,
              prune: options.prune === true,
              force: options.force === true,
              ...(maxDelete === undefined ? {} : { maxDelete }),
            },
          );
          return {
            json: () => syncResultJson(result),
            text: (paint) => renderSyncResult(result, paint),
            failed: !result.total.clean,
          };
        }),
      )
  );
}

async function realDirectory(directory: string, named: string): Promise<string> {
  const root = await realpath(directory).catch(() => undefined);
  if (root !== undefined && (await lstat(root)).isDirectory()) return root;
  throw new UsageError(`${named} is not a directory`);
}
