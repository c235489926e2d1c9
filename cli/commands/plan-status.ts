import type { Command } from "commander";
import type { PlanStatusReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import type { CommandResult } from "../command-result.ts";
import { connect } from "../connect.ts";
import { runNumber } from "../number-option.ts";
import { statusText } from "../render/status.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
}

/** `plan status ID`: exit code 0 whatever became of the plan, since telling it is the work. */
export function addPlanStatus(plan: Command, session: Session): void {
  plan
    .command("status")
    .description("what landed, what did not, and why")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--run <n>", "an earlier run", runNumber)
    .option("--json", "print the status as one JSON document")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const query = { planId, ...(options.run === undefined ? {} : { run: options.run }) };
        const status = await client.planStatus({ ...query, signal: session.signal });
        return statusResult({ client, session }, status);
      }),
    );
}

/** Plans above this many decisions are not named one by one. */
const mostNamed = 100;

/** A status with the ids of what landed, where something did not (F25). */
export async function statusResult(
  { client, session }: { readonly client: PlanledgerClient; readonly session: Session },
  status: PlanStatusReply,
): Promise<CommandResult> {
  const landed: string[] = [];
  if (status.failures.length > 0 && status.counts.landed > 0 && status.counts.total <= mostNamed) {
    const query = { planId: status.planId, run: status.run, signal: session.signal };
    for await (const decision of client.decisions(query)) {
      if (decision.status === "landed") landed.push(decision.decisionId);
    }
  }
  return { json: () => status, text: (paint) => statusText(status, { paint, landed }) };
}
