import type { Command } from "commander";
import { connect } from "../connect.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addSourceDelete(source: Command, session: Session): void {
  source
    .command("delete")
    .description("end a sync source, and its run under way; what it brought stays")
    .argument("<name>", "the source's name")
    .option("--json", "print the answer as one JSON document")
    .action((name: string, options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        await (await connect(session)).sources.delete(name, session.signal);
        return { json: () => ({ name, deleted: true }), text: () => `${name} is deleted\n` };
      }),
    );
}
