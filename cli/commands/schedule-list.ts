import type { Command } from "commander";
import type { ScheduleReply } from "#lib/api/schedule-requests.ts";
import { connect } from "../connect.ts";
import { scheduleRow } from "../render/schedule.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addScheduleList(schedule: Command, session: Session): void {
  schedule
    .command("list")
    .description("the plan schedules of the tenant, when each runs next, and what became of its last run")
    .option("--json", "print them as one JSON document")
    .action((options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const schedules: ScheduleReply[] = [];
        for await (const one of client.schedules.list({ signal: session.signal })) schedules.push(one);
        return {
          json: () => ({ schedules }),
          text: (paint) =>
            schedules.length === 0
              ? "no schedules: save one with `planledger schedule save NAME --cron … --action …`\n"
              : table(schedules.map((one) => scheduleRow(one, paint))),
        };
      }),
    );
}
