import type { Command } from "commander";
import type { DecisionReply } from "#lib/api/plan-replies.ts";
import { connect } from "../connect.ts";
import { runNumber } from "../number-option.ts";
import type { Paint } from "../paint.ts";
import { oneLine } from "../print-safely.ts";
import { decisionTreeLines } from "../render/decision-tree.ts";
import { failureLine, outcomeMark } from "../render/outcome.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
}

/** A decision, as much of it as the tree shows. */
type Shown = Pick<DecisionReply, "status" | "failure" | "rationale" | "parentId" | "dependsOn"> & {
  readonly id: string;
};

export function addPlanTree(plan: Command, session: Session): void {
  plan
    .command("tree")
    .description("the decisions as the tree that explains them, with what became of each")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--run <n>", "an earlier run", runNumber)
    .option("--json", "print the tree as one JSON document, a node a line of it")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const query = { planId, ...(options.run === undefined ? {} : { run: options.run }) };
        const decisions: Shown[] = [];
        for await (const decision of client.decisions({ ...query, signal: session.signal })) {
          const { decisionId: id, status, failure, rationale, parentId, dependsOn } = decision;
          decisions.push({ id, status, failure, rationale, parentId, dependsOn });
        }
        return {
          json: () => ({
            planId,
            nodes: [...decisionTreeLines(decisions)].map(({ id, node }) => ({
              decisionId: id,
              ...(node?.parentId === undefined ? {} : { parentId: node.parentId }),
              status: node?.status ?? "root",
              ...(node?.rationale === undefined ? {} : { rationale: node.rationale }),
              ...(node === undefined ? {} : { dependsOn: node.dependsOn }),
              ...(node?.failure === undefined ? {} : { failure: node.failure }),
            })),
          }),
          text: (paint) => drawn(decisions, paint, session.stdout.columns ?? 100),
        };
      }),
    );
}

async function* drawn(decisions: readonly Shown[], paint: Paint, columns: number): AsyncGenerator<string> {
  if (decisions.length === 0) yield "no decisions\n";
  for (const { prefix, id, node } of decisionTreeLines(decisions)) {
    if (node === undefined) {
      yield `${paint("dim", prefix)}${paint("bold", id)}\n`;
      continue;
    }
    const room = Math.max(30, columns - prefix.length - id.length - 6);
    const why = node.rationale === undefined ? "" : `  ${oneLine(node.rationale, room)}`;
    yield `${paint("dim", prefix)}${outcomeMark(node.status, paint)} ${paint("bold", id)}${why}\n`;
    if (node.failure !== undefined) {
      const continued = prefix.replace("├─ ", "│  ").replace("└─ ", "   ");
      yield `${paint("dim", `${continued}    `)}${paint("dim", node.failure.status)}: ${oneLine(failureLine(node.failure), 200)}\n`;
    }
  }
}
