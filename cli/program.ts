import { Command } from "commander";
import { addDevCommand } from "./commands/dev.ts";
import { addPlanApply } from "./commands/plan-apply.ts";
import { addPlanArtifacts } from "./commands/plan-artifacts.ts";
import { addPlanDecisions } from "./commands/plan-decisions.ts";
import { addPlanDiff } from "./commands/plan-diff.ts";
import { addPlanEvents } from "./commands/plan-events.ts";
import { addPlanExecute } from "./commands/plan-execute.ts";
import { addPlanExplain } from "./commands/plan-explain.ts";
import { addPlanList } from "./commands/plan-list.ts";
import { addPlanResume } from "./commands/plan-resume.ts";
import { addPlanRollback } from "./commands/plan-rollback.ts";
import { addPlanStatus } from "./commands/plan-status.ts";
import { addPlanStop } from "./commands/plan-stop.ts";
import { addPlanTree } from "./commands/plan-tree.ts";
import { addPlanValidate } from "./commands/plan-validate.ts";
import { addPlanVerdict } from "./commands/plan-verdict.ts";
import { addProjectExport } from "./commands/project-export.ts";
import { addProjectImport } from "./commands/project-import.ts";
import { addProjectLog } from "./commands/project-log.ts";
import { addScheduleDelete } from "./commands/schedule-delete.ts";
import { addScheduleList } from "./commands/schedule-list.ts";
import { addSchedulePause } from "./commands/schedule-pause.ts";
import { addScheduleSave } from "./commands/schedule-save.ts";
import { addScheduleShow } from "./commands/schedule-show.ts";
import { addSourceDelete } from "./commands/source-delete.ts";
import { addSourceList } from "./commands/source-list.ts";
import { addSourcePause } from "./commands/source-pause.ts";
import { addSourceRun } from "./commands/source-run.ts";
import { addSourceSave } from "./commands/source-save.ts";
import { addSourceShow } from "./commands/source-show.ts";
import { addSyncCommand } from "./commands/sync.ts";
import { addTokenCreate } from "./commands/token-create.ts";
import { addTokenList } from "./commands/token-list.ts";
import { addTokenRevoke } from "./commands/token-revoke.ts";
import { addVerify } from "./commands/verify.ts";
import { addWebhookCreate } from "./commands/webhook-create.ts";
import { addWebhookDelete } from "./commands/webhook-delete.ts";
import { addWebhookDeliveries } from "./commands/webhook-deliveries.ts";
import { addWebhookList } from "./commands/webhook-list.ts";
import type { Session } from "./session.ts";

/** The whole command line. Commander prints help through the session's streams, and throws instead of ending the process. */
export function planledgerProgram(session: Session): Command {
  const program = new Command("planledger")
    .description("Runs the plans of AI agents and keeps a ledger of every change they make.")
    .version(session.version, "-V, --version", "print the version")
    .exitOverride()
    // For `sync`, which has options of its own and commands below it.
    .enablePositionalOptions()
    .showHelpAfterError("(add --help for how to use it)")
    .configureOutput({
      writeOut: (text) => session.stdout.write(text),
      writeErr: (text) => session.stderr.write(text),
      getOutHelpWidth: () => session.stdout.columns ?? 100,
      getErrHelpWidth: () => session.stderr.columns ?? 100,
    })
    .addHelpText(
      "after",
      "\nPLANLEDGER_URL and PLANLEDGER_TOKEN say which service to talk to; without them it is the one that\n`planledger dev` started in this directory or one above. Exit codes: 0 success, 1 the work failed, 2 wrong usage.",
    );

  addDevCommand(program, session);

  const plan = program.command("plan").description("check plans, run them, and see what they did");
  addPlanValidate(plan, session);
  addPlanExecute(plan, session);
  addPlanStatus(plan, session);
  addPlanDecisions(plan, session);
  addPlanEvents(plan, session);
  addPlanTree(plan, session);
  addPlanExplain(plan, session);
  addPlanDiff(plan, session);
  addPlanArtifacts(plan, session);
  addPlanList(plan, session);
  addPlanStop(plan, session, "pause");
  addPlanResume(plan, session);
  addPlanStop(plan, session, "cancel");
  addPlanVerdict(plan, session, "approve");
  addPlanVerdict(plan, session, "reject");
  addPlanApply(plan, session);
  addPlanRollback(plan, session);

  const sync = addSyncCommand(program, session);
  const source = sync
    .command("source")
    .description("sync the tenant itself from other services and catalogues");
  addSourceSave(source, session);
  addSourceList(source, session);
  addSourceShow(source, session);
  addSourceRun(source, session);
  addSourcePause(source, session);
  addSourceDelete(source, session);

  const schedule = program.command("schedule").description("submit plans of actions again and again");
  addScheduleSave(schedule, session);
  addScheduleList(schedule, session);
  addScheduleShow(schedule, session);
  addSchedulePause(schedule, session);
  addScheduleDelete(schedule, session);

  const project = program.command("project").description("bring file trees in and out");
  addProjectImport(project, session);
  addProjectExport(project, session);
  addProjectLog(project, session);

  const webhook = program.command("webhook").description("be told of the phases of plans by signed messages");
  addWebhookCreate(webhook, session);
  addWebhookList(webhook, session);
  addWebhookDelete(webhook, session);
  addWebhookDeliveries(webhook, session);

  const token = program.command("token").description("make, list and revoke tokens");
  addTokenCreate(token, session);
  addTokenList(token, session);
  addTokenRevoke(token, session);

  addVerify(program, session);
  return program;
}
