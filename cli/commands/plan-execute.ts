import type { Command } from "commander";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { parsePlanFile } from "#lib/plan/parse-plan-file.ts";
import type { PlanDocument } from "#lib/plan/plan-document.ts";
import { documentResources } from "#lib/plan/resource-rules.ts";
import { connect } from "../connect.ts";
import { inputName, readInput } from "../files/read-input.ts";
import { type ArgumentText, collectArguments, planOfAction } from "../plan-of-action.ts";
import { withProjectTree } from "../plan-project.ts";
import { printable } from "../print-safely.ts";
import { acceptedResult } from "../render/accepted.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { uploadDirectory } from "../upload-directory.ts";
import { UsageError } from "../usage-error.ts";
import { watchPlan } from "../watch-plan.ts";
import { watchedResult } from "../watched-result.ts";

interface Options {
  readonly json?: boolean;
  readonly action?: string;
  readonly arg?: readonly ArgumentText[];
  readonly project?: string;
  readonly id?: string;
  readonly watch?: boolean;
}

export function addPlanExecute(plan: Command, session: Session): void {
  plan
    .command("execute")
    .description("submit a plan, or an action with arguments, with the directory it works on")
    .argument("[file]", "the plan in JSON or YAML; - for stdin")
    .option("--action <id>", "submit the plan of this synced action (namespace/name) in place of a file")
    .option("--arg <name=value>", "an argument of the action; may be given again", collectArguments)
    .option("--project <dir>", "upload what the service lacks of this directory, and run on that")
    .option("--id <id>", "the plan's id; sending the same plan under the same id again is safe")
    .option("--watch", "follow the run until it has ended; exit code 1 unless it completed")
    .option("--json", "print the answer as one JSON document (with --watch the last status)")
    .action((file: string | undefined, options: Options) =>
      runAction(session, options, async () => {
        const readPlan = await planSource(session, file, options);
        const client = await connect(session);
        const plan = await readPlan(client);
        const accepted = await client.executePlan({
          plan,
          signal: session.signal,
          ...(options.id === undefined ? {} : { planId: options.id }),
        });
        if (options.watch !== true) return acceptedResult(accepted);
        session.stderr.write(`plan ${printable(accepted.planId)}\n`);
        const status = await watchPlan({ session, client }, accepted);
        return watchedResult({ session, client }, status);
      }),
    );
}

/** What is submitted: a file's plan, read at once; or an action with arguments. */
async function planSource(
  session: Session,
  file: string | undefined,
  { action, arg: args = [], project }: Options,
): Promise<(client: PlanledgerClient) => Promise<Readonly<Record<string, unknown>>>> {
  if (action !== undefined) {
    if (file !== undefined) throw new UsageError("give a plan file or --action, not both");
    return (client) => planOfAction({ session, client }, { action, args, project });
  }
  if (args.length > 0) throw new UsageError("--arg is for --action; a plan file takes no arguments");
  if (file === undefined)
    throw new UsageError("give a plan file, or --action with the id of a synced action");
  const document = parsePlanFile(await readInput(session, file), inputName(file));
  return (client) => withUploadedProject({ session, client }, document, project);
}

async function withUploadedProject(
  context: { readonly session: Session; readonly client: PlanledgerClient },
  document: PlanDocument,
  project: string | undefined,
): Promise<PlanDocument> {
  if (project === undefined) {
    if (startsEmpty(document)) {
      context.session.stderr.write(
        "the plan names no project, and runs on an empty tree; --project DIR runs it on a directory\n",
      );
    }
    return document;
  }
  const { tree } = await uploadDirectory(context, project);
  return withProjectTree(document, tree);
}

/** Whether a plan that reads or writes files names none to begin with: rarely what somebody meant. */
const startsEmpty = (document: PlanDocument): boolean =>
  document.decisions.some(({ toolCalls = [] }) => toolCalls.length > 0) &&
  documentResources(document).every(({ project, tree }) => project === undefined && tree === undefined);
