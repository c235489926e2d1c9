import type { Command } from "commander";
import { connect } from "../connect.ts";
import { acceptedResult } from "../render/accepted.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly reason?: string;
}

const descriptions = {
  pause: "let nothing become final until the plan is resumed",
  cancel: "let nothing more become final; what landed stays, sealed and readable",
};

/** `plan pause` and `plan cancel`. */
export function addPlanStop(plan: Command, session: Session, stop: "pause" | "cancel"): void {
  plan
    .command(stop)
    .description(descriptions[stop])
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--reason <text>", "stands in the ledger")
    .option("--json", "print the answer as one JSON document")
    .action((planId: string, { json, reason }: Options) =>
      runAction(session, { json }, async () => {
        const client = await connect(session);
        const order = { planId, signal: session.signal, ...(reason === undefined ? {} : { reason }) };
        return acceptedResult(await client[stop](order));
      }),
    );
}
