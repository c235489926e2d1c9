import type { Command } from "commander";
import type { DecisionReply } from "#lib/api/plan-replies.ts";
import { connect } from "../connect.ts";
import { runNumber } from "../number-option.ts";
import { byteJson } from "../render/byte-text.ts";
import { explanationText } from "../render/explanation.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
}

export function addPlanExplain(plan: Command, session: Session): void {
  plan
    .command("explain")
    .description("why a decision was taken, what it called, what it changed")
    .argument("<id>", "the plan's id, or its pln_ id")
    .argument("<decision>", "the decision's id")
    .option("--run <n>", "in an earlier run", runNumber)
    .option("--json", "print the explanation as one JSON document")
    .action((planId: string, decisionId: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const query = {
          planId,
          signal: session.signal,
          ...(options.run === undefined ? {} : { run: options.run }),
        };
        const reasons = new Map<string, Reason>();
        let decision: DecisionReply | undefined;
        for await (const one of client.decisions(query)) {
          reasons.set(one.decisionId, { parentId: one.parentId, rationale: one.rationale });
          if (one.decisionId === decisionId) decision = one;
        }
        if (decision === undefined) {
          throw new UsageError(
            `plan ${planId} has no decision ${JSON.stringify(decisionId)}; \`planledger plan decisions ${planId}\` lists them`,
          );
        }
        const why = reasonsUpward(decisionId, reasons);
        const pages: Uint8Array[] = [];
        if (decision.entries.length > 0) {
          for await (const page of client.diff({ ...query, decision: decisionId })) pages.push(page);
        }
        const explained = { decision, why, diff: Buffer.concat(pages) };
        return {
          json: () => ({ planId, decision: explained.decision, why, diff: byteJson(explained.diff) }),
          text: (paint) => explanationText(explained, paint),
        };
      }),
    );
}

interface Reason {
  readonly parentId: string | undefined;
  readonly rationale: string | undefined;
}

/** From the decision itself up to the root. */
function reasonsUpward(
  decisionId: string,
  reasons: ReadonlyMap<string, Reason>,
): readonly { readonly decisionId: string; readonly rationale?: string }[] {
  const chain: { decisionId: string; rationale?: string }[] = [];
  const seen = new Set<string>();
  for (let id: string | undefined = decisionId; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const reason = reasons.get(id);
    chain.push({
      decisionId: id,
      ...(reason?.rationale === undefined ? {} : { rationale: reason.rationale }),
    });
    id = reason?.parentId;
  }
  return chain;
}
