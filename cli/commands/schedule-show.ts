import type { Command } from "commander";
import { connect } from "../connect.ts";
import { scheduleText } from "../render/schedule.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addScheduleShow(schedule: Command, session: Session): void {
  schedule
    .command("show")
    .description("a plan schedule, and what became of its last times")
    .argument("<name>", "the schedule's name")
    .option("--json", "print it as one JSON document")
    .action((name: string, options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const shown = await (await connect(session)).schedules.get(name, session.signal);
        return { json: () => shown, text: (paint) => scheduleText(shown, paint) };
      }),
    );
}
