import type { Command } from "commander";
import type { DecisionReply } from "#lib/api/plan-replies.ts";
import { connect } from "../connect.ts";
import { runNumber } from "../number-option.ts";
import type { Paint } from "../paint.ts";
import { oneLine } from "../print-safely.ts";
import { counted } from "../render/counted.ts";
import { failureLine, outcomeMark } from "../render/outcome.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
}

export function addPlanDecisions(plan: Command, session: Session): void {
  plan
    .command("decisions")
    .description("the decisions in plan order, with what became of each")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--run <n>", "an earlier run", runNumber)
    .option("--json", "print them as one JSON document, with calls, output and changes")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const query = { planId, ...(options.run === undefined ? {} : { run: options.run }) };
        const decisions: DecisionReply[] = [];
        for await (const decision of client.decisions({ ...query, signal: session.signal })) {
          decisions.push(decision);
        }
        return {
          json: () => ({ planId, decisions }),
          text: (paint) => (decisions.length === 0 ? "no decisions\n" : table(decisions.map(rowFor(paint)))),
        };
      }),
    );
}

const rowFor =
  (paint: Paint) =>
  (decision: DecisionReply): readonly string[] => {
    const { status, decisionId, calls, entries, failure, rationale = "" } = decision;
    const did =
      status === "landed" ? `${counted(calls.length, "call")}, ${counted(entries.length, "change")}` : status;
    const why = failure === undefined ? oneLine(rationale, 70) : failureLine(failure);
    return [outcomeMark(status, paint), decisionId, paint("dim", did), why];
  };
