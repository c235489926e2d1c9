import { resolve } from "node:path";
import type { Command } from "commander";
import { applyToDirectory } from "../apply/apply-to-directory.ts";
import { applyToProject } from "../apply/apply-to-project.ts";
import { previewDerived, previewJson, previewText } from "../apply/derived-preview.ts";
import { connect } from "../connect.ts";
import { digestOption, idList } from "../digest-option.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly digest: string;
  readonly only?: readonly string[];
  readonly to?: string;
  readonly allowFailed?: boolean;
  readonly watch: boolean;
}

/**
 * `plan apply ID --digest D`: exit code 0 once it stands applied (with `--only`: once the part is made), 1 when it does not,
 * also where the target moved and a merge is shown instead.
 */
export function addPlanApply(plan: Command, session: Session): void {
  plan
    .command("apply")
    .description("apply the changeset of exactly this digest, to the plan's project or to a directory")
    .argument("<id>", "the plan's id, or its pln_ id")
    .requiredOption("--digest <digest>", "of the changeset that was reviewed", digestOption)
    .option(
      "--only <decisions>",
      "make the changeset of these decisions and what they need, show it, and stop",
      idList,
    )
    .option("--to <dir>", "apply it to this directory instead of the project")
    .option("--allow-failed", "also when the run failed or was cancelled")
    .option("--watch", "wait for the outcome (what it does anyway)", true)
    .option("--no-watch", "return as soon as the service has accepted it")
    .option("--json", "print the outcome as one JSON document")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const { digest, only, to, allowFailed, watch } = options;
        if (only !== undefined && to !== undefined) {
          throw new UsageError(
            "--only makes a changeset with a digest of its own; review it, and give that digest with --to",
          );
        }
        const client = await connect(session);
        const context = { client, session };
        if (only !== undefined) {
          const order = { planId, kind: "partial", of: digest, only, signal: session.signal } as const;
          const preview = await previewDerived(context, await client.derive(order), { allowFailed });
          return { json: () => previewJson(preview), text: (paint) => previewText(preview, paint) };
        }
        if (to !== undefined) {
          const where = { directory: resolve(session.cwd, to), named: to };
          return applyToDirectory(context, { planId, digest, ...where, allowFailed: allowFailed === true });
        }
        return applyToProject(context, { planId, digest, allowFailed, watch }, "apply");
      }),
    );
}
