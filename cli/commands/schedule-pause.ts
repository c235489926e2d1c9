import type { Command } from "commander";
import { connect } from "../connect.ts";
import { scheduleText } from "../render/schedule.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

const descriptions = {
  pause: "let the times of a schedule pass from now on",
  resume: "end a schedule's pause; what passed in it is not made up for",
} as const;

/** `schedule pause` and `schedule resume`. */
export function addSchedulePause(schedule: Command, session: Session): void {
  for (const move of ["pause", "resume"] as const) {
    schedule
      .command(move)
      .description(descriptions[move])
      .argument("<name>", "the schedule's name")
      .option("--json", "print the schedule as one JSON document")
      .action((name: string, options: { readonly json?: boolean }) =>
        runAction(session, options, async () => {
          const client = await connect(session);
          const moved = await client.schedules[move](name, session.signal);
          return { json: () => moved, text: (paint) => scheduleText(moved, paint) };
        }),
      );
  }
}
