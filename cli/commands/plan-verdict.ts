import type { Command } from "commander";
import { connect } from "../connect.ts";
import { digestOption } from "../digest-option.ts";
import { acceptedResult } from "../render/accepted.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly digest: string;
  readonly reason?: string;
}

const descriptions = {
  approve: "approve a digest: a changeset, or the external calls that a run waits with",
  reject: "reject a digest: it is not applied unless somebody approves it; the changeset is kept",
};

/** `plan approve` and `plan reject`: a verdict on one digest. */
export function addPlanVerdict(plan: Command, session: Session, verdict: "approve" | "reject"): void {
  plan
    .command(verdict)
    .description(descriptions[verdict])
    .argument("<id>", "the plan's id, or its pln_ id")
    .requiredOption(
      "--digest <digest>",
      "of what was reviewed; it counts for this digest alone",
      digestOption,
    )
    .option("--reason <text>", "stands in the ledger")
    .option("--json", "print the answer as one JSON document")
    .action((planId: string, { json, digest, reason }: Options) =>
      runAction(session, { json }, async () => {
        const client = await connect(session);
        const order = { planId, digest, signal: session.signal, ...(reason === undefined ? {} : { reason }) };
        return acceptedResult(await client[verdict](order));
      }),
    );
}
