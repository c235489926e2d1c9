import { type Command, Option } from "commander";
import { automationProfiles } from "#lib/plan/plan-document.ts";
import { connect } from "../connect.ts";
import { type ArgumentText, collectArguments, planOfAction } from "../plan-of-action.ts";
import { scheduleText } from "../render/schedule.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly cron: string;
  readonly timeZone: string;
  readonly action: string;
  readonly arg?: readonly ArgumentText[];
  readonly project?: string;
  readonly planName?: string;
  readonly profile?: (typeof automationProfiles)[number];
  readonly principal?: string;
  readonly paused?: boolean;
}

export function addScheduleSave(schedule: Command, session: Session): void {
  schedule
    .command("save")
    .description("submit the plan of an action again and again; what is wrong with it now is said now")
    .argument("<name>", "the schedule's name; one of that name is replaced")
    .requiredOption(
      "--cron <expression>",
      'when: minute, hour, day, month, day of week, such as "30 6 * * 1-5"',
    )
    .option("--time-zone <zone>", "whose clocks the expression is read by", "UTC")
    .requiredOption("--action <id>", "the synced action (namespace/name)")
    .option("--arg <name=value>", "an argument of the action; may be given again", collectArguments)
    .option("--project <dir>", "upload this directory now, and run on that each time")
    .option("--plan-name <text>", "what the plans are called")
    .addOption(new Option("--profile <profile>", "the plans' automation profile").choices(automationProfiles))
    .option("--principal <name>", "whom the plans are submitted for; yourself without it")
    .option("--paused", "save it, and let its times pass until it is resumed")
    .option("--json", "print the schedule as one JSON document")
    .action((name: string, options: Options) =>
      runAction(session, options, async () => {
        const { cron, timeZone, action, arg: args = [], project, planName, profile, principal } = options;
        const client = await connect(session);
        const request = await planOfAction({ session, client }, { action, args, project });
        const saved = await client.schedules.save(
          name,
          {
            ...request,
            ...{ cron, timeZone, action },
            ...(planName === undefined ? {} : { planName }),
            ...(profile === undefined ? {} : { automationProfile: profile }),
            ...(principal === undefined ? {} : { principal }),
            paused: options.paused === true,
          },
          session.signal,
        );
        return { json: () => saved, text: (paint) => scheduleText(saved, paint) };
      }),
    );
}
