import type { Command } from "commander";
import type { ListedPlan } from "#lib/client/plans-client.ts";
import { connect } from "../connect.ts";
import { wholeNumber } from "../number-option.ts";
import { oneLine } from "../print-safely.ts";
import { moment } from "../render/moment.ts";
import { phaseWord } from "../render/status.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly limit: number;
}

export function addPlanList(plan: Command, session: Session): void {
  plan
    .command("list")
    .description("plans, the newest first")
    .option("--limit <n>", "how many at most", wholeNumber({ minimum: 1, maximum: 100_000 }), 50)
    .option("--json", "print them as one JSON document")
    .action((options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const plans: ListedPlan[] = [];
        const query = { limit: Math.min(options.limit, 100), signal: session.signal };
        for await (const listed of client.listPlans(query)) {
          plans.push(listed);
          if (plans.length >= options.limit) break;
        }
        return {
          json: () => ({ plans }),
          text: (paint) =>
            plans.length === 0
              ? "no plans yet: submit one with `planledger plan execute FILE`\n"
              : table(
                  plans.map(({ planId, name = "", phase, submittedAt }) => [
                    planId,
                    phase === undefined ? "" : phaseWord(phase, paint),
                    paint("dim", moment(submittedAt)),
                    oneLine(name, 60),
                  ]),
                ),
        };
      }),
    );
}
