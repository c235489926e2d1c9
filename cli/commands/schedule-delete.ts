import type { Command } from "commander";
import { connect } from "../connect.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addScheduleDelete(schedule: Command, session: Session): void {
  schedule
    .command("delete")
    .description("end a schedule; plans that it submitted stay")
    .argument("<name>", "the schedule's name")
    .option("--json", "print the answer as one JSON document")
    .action((name: string, options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        await (await connect(session)).schedules.delete(name, session.signal);
        return { json: () => ({ name, deleted: true }), text: () => `${name} is deleted\n` };
      }),
    );
}
